// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What of a launch only the CUDA driver knows: tensor maps, and how many
// multiprocessors a device has. gpu.launch_func has no ops for either, so the
// host calls the driver for them, and is linked with it.
#ifndef FA_LOWERING_EMBED_DRIVERCODE_H
#define FA_LOWERING_EMBED_DRIVERCODE_H

#include "lowering/Embed/HostCode.h"

namespace mlir::fa {

/// The functions that DriverCalls calls, where the module has not got them; an
/// error where it has something else by such a name, or no more than a
/// declaration of what nobody else defines.
LogicalResult addDriverCode(ModuleOp module);

/// Calls of the driver around one launch, each where the builder stands.
class DriverCalls {
public:
  explicit DriverCalls(HostBuilder &host)
      : host(host), b(host.b), loc(host.loc) {}

  /// Whether the launch of `kernel` needs any.
  static bool neededBy(DictionaryAttr kernel);
  /// Whether `expr` asks for units().
  static bool areUnitsIn(Attribute expr);

  /// Before all others: a context is current until leave().
  void enter();
  void leave();
  /// Multiprocessors of the device, as i64.
  Value units();
  /// The map that `param` describes (runtime/MANIFEST.md), by value. That the
  /// driver makes none is a failed assertion.
  Value tensorMap(ArrayAttr param);

private:
  Value word(int64_t value);
  Value array(ArrayRef<Value> values);
  func::CallOp call(StringRef name, TypeRange results, ValueRange arguments);

  HostBuilder &host;
  OpBuilder &b;
  Location loc;
  Value device, entered;
};

} // namespace mlir::fa

#endif // FA_LOWERING_EMBED_DRIVERCODE_H

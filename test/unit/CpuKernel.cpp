// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CpuKernel.h"

#include "lowering/Register.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "gtest/gtest.h"

#include <dlfcn.h>

using namespace mlir;

namespace fa::test {

std::vector<int64_t> packedStrides(const std::vector<int64_t> &sizes) {
  std::vector<int64_t> strides(sizes.size(), 1);
  for (size_t i = sizes.size(); i-- > 1;)
    strides[i - 1] = strides[i] * sizes[i];
  return strides;
}

/// The contexts of all tests share what registering everything makes.
static const DialectRegistry &registry() {
  static const DialectRegistry *everything = [] {
    auto *made = new DialectRegistry;
    ::mlir::fa::registerEverything(*made);
    return made;
  }();
  return *everything;
}

static std::string toText(Attribute attr) {
  if (auto text = dyn_cast<StringAttr>(attr))
    return text.str();
  return std::to_string(cast<IntegerAttr>(attr).getInt());
}

CpuKernel::CpuKernel(const std::string &text,
                     ::mlir::fa::CpuPipelineBuilder pipeline,
                     ::mlir::fa::Calls calls) {
  MLIRContext context(registry());
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  auto target = ::mlir::fa::CpuTarget::get({});
  if (!module || !target) {
    ADD_FAILURE() << "no module, or no target";
    return;
  }
  PassManager pm(&context);
  pipeline(pm, *target);
  SmallVector<char> out;
  if (failed(pm.run(*module)) ||
      failed(::mlir::fa::emitCpuObject(*module, *target, calls, out))) {
    ADD_FAILURE() << "does not compile";
    return;
  }
  object.assign(out.begin(), out.end());
  auto manifest = (*module)->getAttrOfType<DictionaryAttr>("fa.manifest");
  for (Attribute kernel : manifest.getAs<ArrayAttr>("kernels")) {
    auto fields = cast<DictionaryAttr>(kernel);
    auto &list = parameters[fields.getAs<StringAttr>("name").str()];
    for (Attribute param : fields.getAs<ArrayAttr>("params")) {
      list.emplace_back();
      for (Attribute part : cast<ArrayAttr>(param))
        list.back().push_back(toText(part));
    }
  }

  SmallString<128> path;
  int fd;
  if (llvm::sys::fs::createTemporaryFile("fa-test", "so", fd, path)) {
    ADD_FAILURE() << "no temporary file";
    return;
  }
  llvm::FileRemover remover(path);
  llvm::raw_fd_ostream(fd, /*shouldClose=*/true) << object;
  library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  EXPECT_TRUE(library) << dlerror();
}

CpuKernel::~CpuKernel() {
  if (library)
    dlclose(library);
}

CpuKernel::Function CpuKernel::find(const std::string &name) {
  void *symbol = library ? dlsym(library, name.c_str()) : nullptr;
  EXPECT_TRUE(symbol) << "no kernel " << name;
  return reinterpret_cast<Function>(symbol);
}

void CpuKernel::run(const std::string &name, int64_t tiles,
                    const std::map<std::string, Argument> &arguments) {
  Function function = find(name);
  std::vector<void *> pointers;
  std::vector<int64_t> numbers;
  pointers.reserve(parameters[name].size());
  numbers.reserve(parameters[name].size());
  std::vector<void *> params;
  for (const std::vector<std::string> &param : parameters[name]) {
    auto found = arguments.find(param[1]);
    ASSERT_TRUE(found != arguments.end()) << "no argument " << param[1];
    const Argument &argument = found->second;
    if (param[0] == "pointer") {
      pointers.push_back(argument.data);
      params.push_back(&pointers.back());
    } else if (param[0] == "scalar") {
      params.push_back(argument.data);
    } else {
      const auto &list = param[0] == "size" ? argument.sizes : argument.strides;
      numbers.push_back(list.at(std::stoul(param[2])));
      params.push_back(&numbers.back());
    }
  }
  for (int64_t tile = 0; function && tile < tiles; ++tile)
    function(params.data(), tile);
}

void CpuKernel::runRaw(const std::string &name, std::vector<void *> params) {
  if (Function function = find(name))
    function(params.data(), 0);
}

} // namespace fa::test

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fa.attention under one-shot bufferization: destination style, inputs read,
// destinations written.
#include "dialect/Fa/FaDialect.h"

#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h"

using namespace mlir;
using namespace mlir::fa;
using namespace mlir::bufferization;

namespace {
struct AttentionBufferization
    : DstBufferizableOpInterfaceExternalModel<AttentionBufferization,
                                              AttentionOp> {
  /// Every row of a destination is written, but for the rows past the last
  /// offset of the packed form, which keep what they held.
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand,
                              const AnalysisState &) const {
    auto attention = cast<AttentionOp>(op);
    return !attention.isDpsInit(&operand) || attention.isPacked();
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    auto attention = cast<AttentionOp>(op);
    SmallVector<Value> buffers;
    for (Value operand : op->getOperands()) {
      if (!isa<TensorType>(operand.getType())) {
        buffers.push_back(operand);
        continue;
      }
      FailureOr<Value> buffer = getBuffer(rewriter, operand, options, state);
      if (failed(buffer))
        return failure();
      buffers.push_back(*buffer);
    }
    OperationState made(op->getLoc(), AttentionOp::getOperationName(), buffers,
                        TypeRange(), op->getAttrs());
    made.propertiesAttr = op->getPropertiesAsAttribute();
    for (Region &region : op->getRegions())
      made.addRegion()->takeBody(region);
    rewriter.create(made);
    auto outs = ValueRange(buffers).slice(
        attention.getODSOperandIndexAndLength(3).first,
        attention.getOuts().size());
    replaceOpWithBufferizedValues(rewriter, op, outs);
    return success();
  }
};
} // namespace

void mlir::fa::registerBufferizableOpInterface(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, FaDialect *) {
    AttentionOp::attachInterface<AttentionBufferization>(*context);
  });
}

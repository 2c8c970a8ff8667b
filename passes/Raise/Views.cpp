// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Raise/Views.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::fa::raising;

using Shape = SmallVector<Axes, 4>;

Shape mlir::fa::raising::axesOfDims(const Coords &at) {
  Shape dims;
  for (const Coord &coord : at)
    dims.push_back(atomsOf(coord.digits));
  return dims;
}

static Axes flat(ArrayRef<Axes> shape) {
  Axes all;
  for (const Axes &dim : shape)
    all.append(dim);
  return all;
}

void Views::learn(Value value, const Coords &at) {
  for (auto [dim, coord] : llvm::enumerate(at)) {
    Axis *dynamic = nullptr;
    int64_t product = 1;
    bool single = coord.offset == 0;
    for (Axis *axis : atomsOf(coord.digits)) {
      if (!ShapedType::isDynamic(axis->extent))
        product *= axis->extent;
      else if (dynamic)
        single = false;
      else
        dynamic = axis;
    }
    if (!dynamic || !single || known.contains(dynamic))
      continue;
    known[dynamic] = {value, static_cast<unsigned>(dim)};
    beside[dynamic] = product;
  }
}

bool Views::knows(const Axes &axes) {
  return llvm::all_of(atomsOf(axes), [&](Axis *axis) {
    return !ShapedType::isDynamic(axis->extent) || known.contains(axis);
  });
}

OpFoldResult Views::extent(const Axes &axes) {
  int64_t fixed = 1;
  Value product;
  for (Axis *axis : atomsOf(axes)) {
    if (!ShapedType::isDynamic(axis->extent)) {
      fixed *= axis->extent;
      continue;
    }
    auto found = known.find(axis);
    if (found == known.end())
      return nullptr;
    Value size =
        tensor::DimOp::create(b, found->second.first, found->second.second);
    if (beside[axis] != 1)
      size = arith::DivUIOp::create(
          b, size, arith::ConstantIndexOp::create(b, beside[axis]));
    product =
        product ? arith::MulIOp::create(b, product, size).getResult() : size;
  }
  if (!product)
    return b.getIndexAttr(fixed);
  if (fixed != 1)
    product = arith::MulIOp::create(b, product,
                                    arith::ConstantIndexOp::create(b, fixed));
  return product;
}

RankedTensorType Views::type(ArrayRef<Axes> shape, Type element) {
  SmallVector<int64_t> extents;
  for (const Axes &dim : shape)
    extents.push_back(extentOf(dim));
  return RankedTensorType::get(extents, element);
}

Value Views::empty(ArrayRef<Axes> shape, Type element) {
  SmallVector<OpFoldResult> sizes;
  for (const Axes &dim : shape)
    sizes.push_back(extent(dim));
  return tensor::EmptyOp::create(b, sizes, element);
}

/// How dimensions of `fine` group into those of `coarse`, both in one order;
/// nothing where they do not. Dimensions without axes go along.
static std::optional<SmallVector<ReassociationIndices>>
grouping(ArrayRef<Axes> coarse, ArrayRef<Axes> fine) {
  SmallVector<ReassociationIndices> groups(coarse.size());
  size_t next = 0;
  for (auto [i, dim] : llvm::enumerate(coarse)) {
    Axes rest = dim;
    // A unit dimension stands for one of its own where there is one.
    if (rest.empty()) {
      if (next == fine.size() || !fine[next].empty())
        return std::nullopt;
      groups[i].push_back(next++);
      continue;
    }
    while (!rest.empty()) {
      if (next == fine.size())
        return std::nullopt;
      const Axes &part = fine[next];
      if (part.size() > rest.size() ||
          !std::equal(part.begin(), part.end(), rest.begin()))
        return std::nullopt;
      rest.erase(rest.begin(), rest.begin() + part.size());
      groups[i].push_back(next++);
    }
    // Unit dimensions that the next coarse ones do not ask for.
    size_t asked = 0;
    for (size_t j = i + 1; j < coarse.size() && coarse[j].empty(); ++j)
      ++asked;
    size_t units = 0;
    while (next + units < fine.size() && fine[next + units].empty())
      ++units;
    for (; units > asked; --units)
      groups[i].push_back(next++);
  }
  return next == fine.size()
             ? std::optional<SmallVector<ReassociationIndices>>(groups)
             : std::nullopt;
}

Value Views::expand(Value value, ArrayRef<Axes> have, ArrayRef<Axes> want) {
  auto groups = grouping(have, want);
  if (!groups)
    return nullptr;
  SmallVector<OpFoldResult> sizes;
  for (const Axes &dim : want)
    sizes.push_back(extent(dim));
  Type element = cast<ShapedType>(value.getType()).getElementType();
  return tensor::ExpandShapeOp::create(b, type(want, element), value, *groups,
                                       sizes);
}

Value Views::collapse(Value value, ArrayRef<Axes> have, ArrayRef<Axes> want) {
  auto groups = grouping(want, have);
  if (!groups)
    return nullptr;
  Type element = cast<ShapedType>(value.getType()).getElementType();
  return tensor::CollapseShapeOp::create(b, type(want, element), value,
                                         *groups);
}

Value Views::transpose(Value value, ArrayRef<Axes> have, ArrayRef<Axes> want) {
  SmallVector<int64_t> permutation;
  for (const Axes &dim : want)
    permutation.push_back(llvm::find(have, dim) - have.begin());
  copied = true;
  Type element = cast<ShapedType>(value.getType()).getElementType();
  return linalg::TransposeOp::create(b, value, empty(want, element),
                                     permutation)
      ->getResult(0);
}

/// Both in one order of axes.
Value Views::reshape(Value value, ArrayRef<Axes> have, ArrayRef<Axes> want) {
  if (have == want)
    return value;
  if (have.size() < want.size())
    if (Value made = expand(value, have, want))
      return made;
  if (have.size() > want.size())
    if (Value made = collapse(value, have, want))
      return made;
  // Over one dimension an axis: first apart, then together.
  Shape single, apart;
  for (const Axes &dim : have) {
    for (Axis *axis : dim)
      apart.push_back({axis});
    if (dim.empty())
      apart.push_back({});
  }
  for (Axis *axis : flat(have))
    single.push_back({axis});
  if (ArrayRef<Axes>(apart) != have)
    value = expand(value, have, apart);
  if (single.size() != apart.size())
    value = collapse(value, apart, single);
  Shape target;
  for (const Axes &dim : want) {
    for (Axis *axis : dim)
      target.push_back({axis});
    if (dim.empty())
      target.push_back({});
  }
  if (target.size() != single.size())
    value = expand(value, single, target);
  if (ArrayRef<Axes>(target) != want)
    value = collapse(value, target, want);
  return value;
}

Value Views::arrange(Value value, ArrayRef<Axes> have, ArrayRef<Axes> want) {
  Axes from = flat(have), to = flat(want);
  if (from == to)
    return reshape(value, have, want);
  // Axes that stay neighbours in one dimension on both sides move together.
  Shape source, target;
  auto joined = [](ArrayRef<Axes> shape, Axis *first, Axis *second) {
    for (const Axes &dim : shape)
      for (size_t i = 0; i + 1 < dim.size(); ++i)
        if (dim[i] == first && dim[i + 1] == second)
          return true;
    return false;
  };
  auto pieces = [&](const Axes &order, Shape &shape) {
    for (Axis *axis : order) {
      if (!shape.empty() && joined(have, shape.back().back(), axis) &&
          joined(want, shape.back().back(), axis))
        shape.back().push_back(axis);
      else
        shape.push_back({axis});
    }
  };
  pieces(from, source);
  pieces(to, target);
  value = reshape(value, have, source);
  value = transpose(value, source, target);
  return reshape(value, target, want);
}

// Two attention ops of a host with its own GPU runtime; main.c calls them.
!plain = memref<?x?x?x128xf16, strided<[?, ?, ?, 1], offset: ?>>
!grouped = memref<?x?x?x64xbf16, strided<[?, ?, ?, 1], offset: ?>>

func.func @plain(%q: !plain, %k: !plain, %v: !plain, %o: !plain) attributes {llvm.emit_c_interface} {
  fa.attention ins(%q, %k, %v : !plain, !plain, !plain) outs(%o : !plain) {scale = 0.125 : f32}
  return
}

// (batch, sequence, head, column), fewer heads of keys than of queries, causal from the last query back.
func.func @grouped(%q: !grouped, %k: !grouped, %v: !grouped, %o: !grouped) attributes {llvm.emit_c_interface} {
  fa.attention ins(%q, %k, %v : !grouped, !grouped, !grouped) outs(%o : !grouped)
    {layout = #fa.layout<bshd>, mask = #fa.mask<bottom_right, causal>, scale = 0.25 : f32}
  return
}

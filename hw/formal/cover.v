// Part of Tenon, under the Apache License v2.0.
//
// A cover as an assertion that fails where it is reached: prove.py asks ABC for it.

(* techmap_celltype = "$cover" *)
module _cover (input A, input EN);
  \$assert assertion (.A(!A), .EN(EN));
endmodule

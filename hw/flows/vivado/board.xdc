# Part of Tenon, under the Apache License v2.0.
#
# The whole design. It has no pins besides the processor's, whose core brings
# their constraints; its clocks are derived by the processor's and the clock
# manager's cores. What is left is what no core can know.

# The reset of the processor is asynchronous to the fabric: the reset block
# synchronises it.
set_false_path -through [get_pins tenon_system_i/ps/@RESET_PIN@]

set_property BITSTREAM.GENERAL.COMPRESS TRUE [current_design]

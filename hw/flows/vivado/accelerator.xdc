# Part of Tenon, under the Apache License v2.0.
#
# The accelerator synthesised by itself. In a design its clock comes from the
# clock manager, and Vivado ignores this file (out_of_context).

create_clock -name aclk -period @PERIOD_NS@ [get_ports aclk]

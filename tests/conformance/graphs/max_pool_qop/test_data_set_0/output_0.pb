B	maxpool_0JC
bþfmmxfmwxRcTö1BkXFWk||mNhthN`t>L`$s**&sUuaUWQ~UUy~ýìyy]\P{]ooV-oyf\oyf\W}&::3uZG>qQ^{ttjj}}=\99]ý"r~~r ^^>	
4>ûMkûPMrrBRììtRrêtG[[`gnnzznnzzV^^s<^^"bbuubbuu_y]KYyqV,,ppPIhhvvhh(zvv_zdn_?n+<JV_SeUZejl]gwgw||Lk||w3DafO.fO@CcTTppYTvvt|vzzvWzzv}Je}}8eVUzL~~oÃddx[qqi^q||jjijtn#(({L0ssrc||lc~~lkiikk;$II\vII\xh>)`~ZxxZZxxQwwxxw}qEM}.9
m3[[suwypZcppBBg4lgnSS`YjoyyjAuupp0ggY0ggO
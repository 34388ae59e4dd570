# Part of Tenon, under the Apache License v2.0.
"""MLIR levels and passes, and what the importer makes of ONNX files."""
import os

import lit.formats

config.name = "tenon"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".textproto", ".tasm"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.tenon_binary_dir, "tests", "lit")
config.environment["PATH"] = os.pathsep.join(
    [os.path.join(config.tenon_binary_dir, "bin"), config.llvm_tools_dir, config.environment["PATH"]])
config.environment["FILECHECK_OPTS"] = "--dump-input-filter=annotation"
config.substitutions.append(("%conformance", os.path.join(config.tenon_source_dir, "tests", "conformance")))
config.substitutions.append(("%examples", os.path.join(config.tenon_source_dir, "examples")))
config.substitutions.append(("%python", config.python))

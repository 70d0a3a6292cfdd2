// Reads a Hugging Face config.json as it is into a Model, or refuses it with the field that is the reason.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "scenario/config_fields.hpp"
#include "spec/model.hpp"

namespace ridgepoint {

/// Throws ConfigError with every problem of the file: an architecture or a feature that cannot be modelled, a
/// missing field, a wrong type, an impossible size. The model is named for the file, or for the folder of a
/// file that is called config.json. Of multimodal wrappers the language model alone is read.
Model read_config_json(const std::filesystem::path& file);

/// Values of `architectures` that can be modelled, sorted.
std::vector<std::string> modelled_architectures();

/// The checkpoint's quantization_config (absent: none) of a model whose other fields are read already.
Quantization read_quantization(const ConfigFields& config, const Model& model);

}  // namespace ridgepoint

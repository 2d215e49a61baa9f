#include "judge/cost_shape.hpp"

#include <fmt/core.h>

#include <array>
#include <charconv>
#include <cmath>
#include <vector>

#include "base/nearest.hpp"

namespace gpucoop {

namespace {

/// A number of the shape that can be given by name; exactly one of the members is set.
struct Key {
  std::string_view name;
  unsigned ModelRule::*count;
  double ModelRule::*amount;
  double least;
  double most;
};

constexpr std::array kKeys = {
    Key{"hidden", &ModelRule::hidden, nullptr, 1, 1e6},
    Key{"layers", &ModelRule::layers, nullptr, 1, 1e4},
    Key{"heads", &ModelRule::heads, nullptr, 1, 1e5},
    Key{"kv_heads", &ModelRule::kv_heads, nullptr, 1, 1e5},
    Key{"head_dim", &ModelRule::head_dim, nullptr, 1, 1e5},
    Key{"kv_values", &ModelRule::kv_values, nullptr, 1, 1e6},
    Key{"kv_layers", &ModelRule::kv_layers, nullptr, 1, 1e4},
    Key{"window", &ModelRule::window, nullptr, 1, 1e7},
    Key{"vocabulary", &ModelRule::vocabulary, nullptr, 1, 1e7},
    Key{"experts", &ModelRule::experts, nullptr, 1, 1e5},
    Key{"experts_per_token", &ModelRule::experts_per_token, nullptr, 1, 1e5},
    Key{"moe_layers", &ModelRule::moe_layers, nullptr, 1, 1e4},
    Key{"parameters", nullptr, &ModelRule::parameters_billion, 0.001, 1e5},
    Key{"active", nullptr, &ModelRule::active_billion, 0.001, 1e5},
    Key{"bytes_per_weight", nullptr, &ModelRule::bytes_per_weight, 0.1, 8},
};

Error usage(std::string what, std::string next) {
  return {ExitCode::usage, "--model: " + std::move(what), "", std::move(next)};
}

std::string nearest_of(std::string_view word, const std::vector<std::string>& words) {
  std::string text;
  for (const auto& near : nearest(word, words, 3)) text += (text.empty() ? "did you mean " : " or ") + near;
  return text.empty() ? text : text + "?\n";
}

Error no_such_preset(std::string_view name, const Rules& rules) {
  std::vector<std::string> ids;
  std::string all;
  for (const auto& m : rules.models) {
    ids.push_back(m.id);
    all += (all.empty() ? "" : ", ") + m.id;
  }
  return usage(fmt::format("there is no model preset '{}'", name),
               nearest_of(name, ids) + "the presets are " + all + ";\nany other model: --model hidden=5120,layers=64");
}

Error no_such_key(std::string_view name) {
  std::vector<std::string> names;
  std::string all;
  for (const auto& key : kKeys) {
    names.emplace_back(key.name);
    all += (all.empty() ? "" : ", ") + std::string(key.name);
  }
  return usage(fmt::format("a model has no '{}'", name), nearest_of(name, names) + "it has " + all);
}

Status assign(const Key& key, std::string_view text, ModelRule& model) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool number = error == std::errc() && end == text.data() + text.size() && std::isfinite(value);
  const bool whole = key.count == nullptr || (number && value == std::trunc(value));
  if (!number || !whole || value < key.least || value > key.most) {
    return usage(fmt::format("{}={} is no {} from {:g} to {:.0f}", key.name, text,
                             key.count != nullptr ? "whole number" : "number", key.least, key.most),
                 "");
  }
  if (key.count != nullptr) {
    model.*key.count = static_cast<unsigned>(value);
  } else {
    model.*key.amount = value;
  }
  return std::nullopt;
}

/// What the numbers must be to each other, and what follows from the others where it was left out.
Status complete(ModelRule& model) {
  if (model.hidden == 0 || model.layers == 0) {
    return usage("a shape needs hidden and layers", "for example --model hidden=5120,layers=64,heads=64,parameters=27");
  }
  if (model.experts != 0 && model.experts_per_token == 0) {
    return usage("a model with experts needs experts_per_token", "");
  }
  if (model.experts != 0 && model.moe_layers == 0) model.moe_layers = model.layers;
  if (model.experts_per_token > model.experts) {
    return usage(fmt::format("experts_per_token={} is more than experts={}", model.experts_per_token, model.experts),
                 "");
  }
  for (const auto& [name, layers] :
       {std::pair{"moe_layers", model.moe_layers}, std::pair{"kv_layers", model.kv_layers}}) {
    if (layers > model.layers)
      return usage(fmt::format("{}={} is more than layers={}", name, layers, model.layers), "");
  }
  if (model.experts == 0 && model.active_billion == 0) model.active_billion = model.parameters_billion;
  if (model.active_billion > model.parameters_billion) {
    return usage(
        fmt::format("active={:g} is more than parameters={:g}", model.active_billion, model.parameters_billion), "");
  }
  if (model.kv_heads > model.heads && model.heads != 0) {
    return usage(fmt::format("kv_heads={} is more than heads={}", model.kv_heads, model.heads), "");
  }
  return std::nullopt;
}

}  // namespace

Result<ModelRule> model_of(std::string_view text, const Rules& rules) {
  if (text.size() > 1000) return usage("the model is longer than 1000 characters", "");
  ModelRule model;
  model.id = "custom";
  bool first = true;
  for (std::string_view rest = text; first || !rest.empty(); first = false) {
    const auto comma = rest.find(',');
    const auto item = rest.substr(0, comma);
    rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
    if (comma != std::string_view::npos && rest.empty()) return usage("something is missing after the last comma", "");
    const auto equals = item.find('=');
    if (equals == std::string_view::npos) {
      const auto* preset = first ? find_model(rules, item) : nullptr;
      if (preset == nullptr && first) return no_such_preset(item, rules);
      if (preset == nullptr) return usage(fmt::format("'{}' is no KEY=NUMBER", item), "");
      model = *preset;
      model.id = std::string(text);
      continue;
    }
    const Key* key = nullptr;
    for (const auto& k : kKeys) {
      if (k.name == item.substr(0, equals)) key = &k;
    }
    if (key == nullptr) return no_such_key(item.substr(0, equals));
    if (const auto error = assign(*key, item.substr(equals + 1), model)) return *error;
  }
  if (const auto error = complete(model)) return *error;
  return model;
}

}  // namespace gpucoop

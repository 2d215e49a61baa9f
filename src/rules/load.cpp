#include "rules/load.hpp"

#include "rules/catalogue.hpp"

namespace gpucoop {

Result<Rules> load_rules(const std::vector<RulesText>& texts) {
  rules_file::Catalogue catalogue;
  for (const auto& file : texts) {
    try {
      rules_file::parse_rules(file.name, toml::parse(file.text, file.name), catalogue);
    } catch (const toml::parse_error& error) {
      return Error{ExitCode::bad_input,
                   std::string("not well-formed TOML: ") + std::string(error.description()),
                   rules_file::to_string({file.name, error.source().begin.line}),
                   {}};
    } catch (const rules_file::Mistake& mistake) {
      return mistake.error;
    }
  }
  try {
    rules_file::validate_rules(catalogue);
  } catch (const rules_file::Mistake& mistake) {
    return mistake.error;
  }
  return std::move(catalogue.rules);
}

}  // namespace gpucoop

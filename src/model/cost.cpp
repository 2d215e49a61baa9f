#include "model/cost.hpp"

namespace gpucoop {

std::string_view to_string(CostBasis basis) {
  switch (basis) {
    case CostBasis::measured: return "measured";
    case CostBasis::ceiling: return "ceiling";
    case CostBasis::typical: return "typical";
  }
  return "typical";
}

}  // namespace gpucoop

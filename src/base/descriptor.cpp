#include "base/descriptor.hpp"

#include <unistd.h>

namespace gpucoop {

Descriptor::~Descriptor() {
  if (fd_ >= 0) ::close(fd_);
}

}  // namespace gpucoop

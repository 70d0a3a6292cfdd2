#include "spec/model.hpp"

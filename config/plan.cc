#include "config/plan.h"

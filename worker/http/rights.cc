#include "worker/http/rights.h"

namespace servery::http {

RightSet required_rights(Method method, RightTarget target) {
  RightSet rights;
  switch (method) {
    case Method::kOptions:
      break;
    case Method::kGet:
    case Method::kHead:
    case Method::kPropfind:
    case Method::kReport:
    case Method::kSearch:
      rights.add(target == RightTarget::kNames ? Right::kList : Right::kRead);
      break;
    case Method::kPut:  // creates or overwrites, whichever it turns out to be
    case Method::kLock:
    case Method::kUnlock:
      rights.add(Right::kCreate);
      rights.add(Right::kOverwrite);
      break;
    case Method::kPatch:
    case Method::kProppatch:
    case Method::kAcl:
      rights.add(Right::kOverwrite);
      break;
    case Method::kDelete:
    case Method::kPurge:
      rights.add(Right::kDelete);
      break;
    case Method::kMove:
      rights.add(Right::kMove);
      break;
    default:  // POST, MKCOL, COPY and what else makes something
      rights.add(Right::kCreate);
      break;
  }
  return rights;
}

}  // namespace servery::http

#include "worker/http/rights.h"

namespace servery::http {

Right required_right(Method method, RightTarget target) {
  switch (method) {
    case Method::kGet:
    case Method::kHead:
    case Method::kOptions:
    case Method::kPropfind:
    case Method::kReport:
    case Method::kSearch:
      return target == RightTarget::kDirectory ? Right::kList : Right::kRead;
    case Method::kPut:  // where nothing is there yet, the handler asks for kCreate
    case Method::kPatch:
    case Method::kProppatch:
    case Method::kLock:
    case Method::kUnlock:
      return Right::kOverwrite;
    case Method::kDelete:
      return Right::kDelete;
    case Method::kMove:
      return Right::kMove;
    default:  // POST, MKCOL, COPY and what else makes something
      return Right::kCreate;
  }
}

}  // namespace servery::http

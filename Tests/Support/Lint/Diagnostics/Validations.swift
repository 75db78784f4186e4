// A validation whose result would be lost does not compile.

import LupineSession

func check(_ code: Int) throws {}

func validate(_ request: DataRequest) {
  // A closure that returns a result cannot throw as well.
  // expected-error@+1 {{invalid conversion from throwing function}}
  request.validate { request, response, data in
    try check(response.status.code)
    return .success(())
  }
}

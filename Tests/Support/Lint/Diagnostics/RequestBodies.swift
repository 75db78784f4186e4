// A name that people type from habit: the compiler says what to use instead.

import LupineCore
import LupineFoundation

// expected-error@+1 {{'data' has been renamed to 'bytes(_:)'}}
let body = RequestBody.data(Data())

// Names of Alamofire, and of Lupine's responses: the compiler says what to use instead.

import HTTPTypes
import Lupine
import LupineFoundation
import LupineSession

func change(_ headers: inout RequestHeaders) {
  // expected-error@+1 {{Use headers[name] = value to set the field, or append(_:) to repeat its name.}}
  headers.add(.accept("text/plain"))
  // expected-error@+1 {{Use headers[name] = value to set the field, or append(_:) to repeat its name.}}
  headers.add(name: "X-Trace", value: "42")
  // expected-error@+1 {{Use headers[name] = value.}}
  headers.update(name: "X-Trace", value: "42")
  // expected-error@+1 {{Use headers[name] = value.}}
  headers.update(.accept("text/plain"))
  // expected-error@+1 {{'remove(name:)' has been renamed to 'remove(_:)'}}
  headers.remove(name: "X-Trace")
  // expected-error@+1 {{Use headers[name].}}
  _ = headers.value(for: "X-Trace")
}

func read(_ response: HTTPResponse) {
  // expected-error@+1 {{'statusCode' has been renamed to 'status.code'}}
  _ = response.statusCode
  // expected-error@+1 {{'headers' has been renamed to 'headerFields'}}
  _ = response.headers
  // expected-error@+1 {{Use headerFields[name].}}
  _ = response.value(of: .eTag)
  // expected-error@+1 {{Use headerFields[name], with HTTPField.Name("…") for a name without a constant.}}
  _ = response.value(of: "ETag")
}

func send(_ file: URL, over session: Session) {
  // expected-error@+1 {{Use upload(.file(file), to: url).}}
  _ = session.upload(file, to: "https://example.com/")
}

func send(_ file: URL) {
  // expected-error@+1 {{Use Lupine.upload(.file(file), to: url).}}
  _ = Lupine.upload(file, to: "https://example.com/")
}

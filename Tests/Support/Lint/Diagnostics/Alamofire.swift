// Arguments and names of Alamofire that people type first: the compiler says what to use instead.

import HTTPTypes
import Lupine
import LupineFoundation
import LupineMultipart
import LupineSession

func request(_ url: String, _ token: BearerToken, over session: Session) {
  // expected-error@+1 {{Use .adapter(_:) and .retrier(_:) on the request in the place of interceptor:.}}
  _ = session.request(url, interceptor: token)
  // expected-error@+1 {{Use .adapter(_:) and .retrier(_:) on the request in the place of interceptor:.}}
  _ = session.request(url, method: .post, parameters: ["a": 1, "b": "c"], headers: ["X": "1"], interceptor: token)
  // expected-error@+1 {{Use encoder: .json or encoder: .urlEncodedForm in the place of encoding:.}}
  _ = session.request(url, method: .post, parameters: ["a": 1], encoding: 1)
  // expected-error@+1 {{Use .timeouts { $0.idle = .seconds(5) } or .options { } on the request in the place of requestModifier:.}}
  _ = session.request(url) { $0.timeoutInterval = 5 }
  // expected-error@+1 {{Use .timeouts { $0.idle = .seconds(5) } or .options { } on the request in the place of requestModifier:.}}
  _ = session.request(url, requestModifier: { $0.setValue("1", forHTTPHeaderField: "X") })
  // expected-error@+1 {{Use .adapter(_:) and .retrier(_:) on the request in the place of interceptor:.}}
  _ = session.download(url, interceptor: token)
  // expected-error@+1 {{Use .adapter(_:) and .retrier(_:) on the request in the place of interceptor:.}}
  _ = session.upload(.text("a"), to: url, interceptor: token)
  // expected-error@+1 {{Use .adapter(_:) and .retrier(_:) on the request in the place of interceptor:.}}
  _ = session.streamRequest(url, interceptor: token)
}

func transfers(_ data: Data, _ file: URL, _ token: BearerToken, over session: Session) {
  // expected-error@+1 {{Use .adapter(_:) and .retrier(_:) on the request in the place of interceptor:.}}
  _ = session.upload(data, to: "https://example.com/", interceptor: token)
  // expected-error@+1 {{Use .adapter(_:) and .retrier(_:) on the request in the place of interceptor:.}}
  _ = session.upload(file, to: "https://example.com/", interceptor: token)
  // expected-error@+1 {{Use .adapter(_:) and .retrier(_:) on the request in the place of interceptor:.}}
  _ = session.download("https://example.com/", parameters: ["a": 1, "b": "c"], interceptor: token)
  // expected-error@+1 {{Use to: fileURL, or to: .file(fileURL, options), or to: .custom { head in … }.}}
  _ = session.download("https://example.com/", to: { _, _ in (file, [.removePreviousFile]) })
}

func functions(_ data: Data, _ token: BearerToken) {
  // expected-error@+1 {{Use .adapter(_:) and .retrier(_:) on the request in the place of interceptor:.}}
  _ = Lupine.request("https://example.com/", interceptor: token)
  // expected-error@+1 {{Use encoder: .json or encoder: .urlEncodedForm in the place of encoding:.}}
  _ = Lupine.request("https://example.com/", method: .post, parameters: ["a": 1, "b": "c"], encoding: 1)
  // expected-error@+1 {{Use .timeouts { $0.idle = .seconds(5) } or .options { } on the request in the place of requestModifier:.}}
  _ = Lupine.request("https://example.com/") { $0.timeoutInterval = 5 }
  // expected-error@+1 {{Use .adapter(_:) and .retrier(_:) on the request in the place of interceptor:.}}
  _ = Lupine.upload(data, to: "https://example.com/", interceptor: token)
  // expected-error@+1 {{Use .adapter(_:) and .retrier(_:) on the request in the place of interceptor:.}}
  _ = Lupine.download("https://example.com/", interceptor: token)
  // expected-error@+1 {{Use .adapter(_:) and .retrier(_:) on the request in the place of interceptor:.}}
  _ = Lupine.streamRequest("https://example.com/", interceptor: token)
  // expected-error@+1 {{Use Lupine.upload(multipart: { form in … }, to: url).}}
  _ = Lupine.upload(multipartFormData: { _ in }, to: "https://example.com/")
}

func upload(_ data: Data, _ file: URL, over session: Session) {
  // expected-error@+1 {{Use upload(multipart: { form in … }, to: url).}}
  _ = session.upload(
    multipartFormData: { form in
      // expected-error@+1 {{Use append(data, name:), or append(data, name:fileName:contentType:).}}
      form.append(data, withName: "a")
      // expected-error@+1 {{Use append(data, name:), or append(data, name:fileName:contentType:).}}
      form.append(data, withName: "a", fileName: "a.txt", mimeType: "text/plain")
      // expected-error@+1 {{Use append(.file(fileURL), name:).}}
      form.append(file, withName: "a")
    }, to: "https://example.com/")
}

func names(_ url: String) {
  // expected-error@+1 {{Use Lupine, as in Lupine.request(url), or Session.default.}}
  _ = AF.request(url)
  // expected-error@+1 {{'HTTPHeaders' has been renamed to 'RequestHeaders'}}
  let headers: HTTPHeaders = ["X": "1"]
  // expected-error@+1 {{Use HTTPRequest.Method of HTTPTypes; .get and .post need no name.}}
  let method: HTTPMethod = .get
  // expected-error@+1 {{'HTTPHeader' has been renamed to 'RequestHeader'}}
  let header: HTTPHeader = .accept("text/plain")
  // expected-error@+1 {{Use encoder: .json, or encoder: .urlEncodedForm.}}
  _ = JSONEncoding.default
  // expected-error@+1 {{Use encoder: .urlEncodedForm, or .urlEncodedForm(destination:).}}
  _ = URLEncoding.default
  _ = (headers, method, header)
}

func errors(_ error: LupineError, _ other: any Error) {
  // expected-error@+1 {{Use response?.status.code.}}
  _ = error.responseCode
  // expected-error@+1 {{'isExplicitlyCancelledError' has been renamed to 'isCancelled'}}
  _ = error.isExplicitlyCancelledError
  // expected-error@+1 {{'underlyingError' has been renamed to 'underlying'}}
  _ = error.underlyingError
  // expected-error@+1 {{Use catch within do throws(LupineError) { … }, or error as? LupineError.}}
  _ = other.asAFError
  // expected-error@+1 {{'AFError' has been renamed to 'LupineError'}}
  _ = other as? AFError
}

func change(_ request: inout OutgoingRequest) {
  // expected-error@+1 {{Use headers[name] = value.}}
  request.headers.add(name: "X-Trace", value: "42")
  // expected-error@+1 {{Use headers[name] = value.}}
  request.headers.add(.accept("text/plain"))
  // expected-error@+1 {{Use headers[name] = value.}}
  request.headers.update(name: "X-Trace", value: "42")
}

// Initializers that people type from habit: the compiler says what to use instead.

import Dispatch
import LupineMock
import LupineSession

// expected-error@+1 {{Use Session.Builder(), then a method for each part}}
let standard = Session(configuration: .default)
// expected-error@+1 {{Use Session.Builder(), then a method for each part}}
let ephemeral = Session(configuration: .ephemeral, interceptor: BearerToken("token"))
// expected-error@+1 {{Use Session.Builder(), then a method for each part}}
let ofAlamofire = Session(configuration: .af.default)
// expected-error@+1 {{Use Session.Builder().transport(transport).build().}}
let unlabelled = Session(MockTransport())
// expected-error@+1 {{Use Session.Builder().baseURL(url), then a method for each part, then build().}}
let located = Session(baseURL: "https://example.com")
// expected-error@+1 {{Use Session.Builder().transport(transport).build(), or Session.default of the module Lupine.}}
let plain = Session()
// expected-error@+1 {{Use Session.Builder().transport(transport).build().}}
let carried = Session(transport: MockTransport())
// expected-error@+1 {{Use Session.Builder(), then a method for each part}}
let intercepted = Session(interceptor: BearerToken("token"))
// expected-error@+1 {{Use Session.Builder(), then a method for each part}}
let configured = Session(configuration: Timeouts(), eventMonitors: [ClosureEventMonitor { _ in }])
// expected-error@+1 {{Use Session.Builder(), then a method for each part}}
let queued = Session(configuration: .af.default, rootQueue: DispatchQueue.main, startRequestsImmediately: false)
// expected-error@+1 {{Use Session.Builder(), then a method for each part}}
let started = Session(startRequestsImmediately: false, requestQueue: DispatchQueue.main, eventMonitors: [])
// expected-error@+1 {{Use Session.Builder().transport(transport).baseURL(url).build().}}
let both = Session(transport: MockTransport(), baseURL: "https://example.com")
// expected-error@+1 {{Use Session.Builder().transport(transport).baseURL(url).build().}}
let turned = Session(baseURL: "https://example.com", transport: MockTransport())
// expected-error@+1 {{Use Session.Builder().transport(transport).}}
let builder = Session.Builder(transport: MockTransport())

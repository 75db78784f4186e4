import Lupine

/// Gives each request of a session a number, in a field of its own.
struct RequestNumbers: Plugin {
  func install(in builder: inout Session.Builder) {
    builder = builder.adapter { request, session in
      request.headers["X-Request-Number"] = "1"
    }
  }
}

#if Observability
  import HTTPTypes
  import Tracing

  /// Writes the propagated values of a tracer into a request's fields.
  struct FieldInjector: Injector {
    func inject(_ value: String, forKey key: String, into carrier: inout HTTPFields) {
      guard let name = HTTPField.Name(key) else { return }
      carrier[name] = value
    }
  }
#endif

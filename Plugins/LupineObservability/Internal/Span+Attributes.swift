#if Observability
  import Tracing

  extension Tracing.Span {
    func setAttributes(_ values: [(name: String, value: Hop.Value)]) {
      updateAttributes { attributes in
        for (name, value) in values {
          switch value {
          case .text(let text): attributes.set(name, value: .string(text))
          case .number(let number): attributes.set(name, value: .int64(number))
          }
        }
      }
    }
  }
#endif

import LupineCore

extension Session.Builder {
  /// Whether something was named that carries the exchanges.
  package var hasTransport: Bool { transport != nil }

  /// Adds the content codings and the schemes that a plugin brings, but for those of which the builder has one of the same
  /// name: what was named stays.
  package func installDefault(_ plugin: some Plugin) -> Self {
    let defaults = Session.Builder().install(plugin)
    return changed { builder in
      builder.codings += defaults.codings.filter { coding in !codings.contains { $0.name == coding.name } }
      builder.schemes += defaults.schemes.filter { scheme in
        !schemes.contains { $0.name.lowercased() == scheme.name.lowercased() }
      }
    }
  }
}

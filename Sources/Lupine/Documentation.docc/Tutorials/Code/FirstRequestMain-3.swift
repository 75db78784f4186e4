print(try await Greeter().greet("Ada"))

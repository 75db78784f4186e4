import LupineFoundation

/// The scripts that the server executes, each as one step that no other command interrupts.
///
/// `KEYS[1]` is the hash of a key's responses. The name of a content is that of the hash, a colon and the identifier,
/// which is the first 32 bytes of a field's value.
enum RedisScript: String, Sendable {
  /// Returns each field and its value. Removes the fields whose contents have expired or were evicted.
  case responses = """
    local found = {}
    local fields = redis.call('HGETALL', KEYS[1])
    for i = 1, #fields, 2 do
      if redis.call('TYPE', KEYS[1] .. ':' .. string.sub(fields[i + 1], 1, 32)).ok == 'string' then
        found[#found + 1] = fields[i]
        found[#found + 1] = fields[i + 1]
      else
        redis.call('HDEL', KEYS[1], fields[i])
      end
    end
    return found
    """

  /// Stores a response. Arguments: field, value, content, milliseconds to keep it, most variants.
  ///
  /// The hash lives as long as the response in it that lives longest.
  case commit = """
    local function drop(field)
      local value = redis.call('HGET', KEYS[1], field)
      if value then
        redis.call('DEL', KEYS[1] .. ':' .. string.sub(value, 1, 32))
        redis.call('HDEL', KEYS[1], field)
      end
    end
    drop(ARGV[1])
    if redis.call('HLEN', KEYS[1]) >= tonumber(ARGV[5]) then
      drop(redis.call('HKEYS', KEYS[1])[1])
    end
    redis.call('SET', KEYS[1] .. ':' .. string.sub(ARGV[2], 1, 32), ARGV[3], 'PX', ARGV[4])
    redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
    if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[4]) then redis.call('PEXPIRE', KEYS[1], ARGV[4]) end
    return 1
    """

  /// Replaces a record if the response was not replaced. Arguments: field, value, milliseconds to keep it.
  case update = """
    local id = string.sub(ARGV[2], 1, 32)
    local value = redis.call('HGET', KEYS[1], ARGV[1])
    if not value or string.sub(value, 1, 32) ~= id then return 0 end
    if redis.call('PEXPIRE', KEYS[1] .. ':' .. id, ARGV[3]) == 0 then return 0 end
    redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
    if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[3]) then redis.call('PEXPIRE', KEYS[1], ARGV[3]) end
    return 1
    """

  /// Removes a response unless it was replaced. Arguments: field, identifier.
  case remove = """
    local value = redis.call('HGET', KEYS[1], ARGV[1])
    if not value or string.sub(value, 1, 32) ~= ARGV[2] then return 0 end
    redis.call('HDEL', KEYS[1], ARGV[1])
    return redis.call('DEL', KEYS[1] .. ':' .. ARGV[2])
    """

  /// Removes all responses of a key.
  case removeAll = """
    for _, value in ipairs(redis.call('HVALS', KEYS[1])) do
      redis.call('DEL', KEYS[1] .. ':' .. string.sub(value, 1, 32))
    end
    return redis.call('DEL', KEYS[1])
    """

  /// Returns the number of bytes of a key's responses.
  case size = """
    local size = 0
    for _, value in ipairs(redis.call('HVALS', KEYS[1])) do
      local content = KEYS[1] .. ':' .. string.sub(value, 1, 32)
      size = size + #value
      if redis.call('TYPE', content).ok == 'string' then size = size + redis.call('STRLEN', content) end
    end
    return size
    """

  /// Returns the string of a content; `nil` if there is none.
  case content = "return redis.call('GET', KEYS[1])"

  /// Takes a lease; returns whether it was free. Arguments: token, milliseconds.
  case acquire = """
    if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return 1 end
    return 0
    """

  /// Removes a key if its value is the argument.
  case compareAndDelete = """
    if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
    return 0
    """

  /// Removes a key that another program has made with another type, because the script would fail each time.
  private var preparation: String {
    """
    local kind = redis.call('TYPE', KEYS[1]).ok
    if kind ~= '\(type)' and kind ~= 'none' then redis.call('DEL', KEYS[1]) end

    """
  }

  /// The type that the store gives to `KEYS[1]`.
  private var type: String {
    switch self {
    case .responses, .commit, .update, .remove, .removeAll, .size: "hash"
    case .content, .acquire, .compareAndDelete: "string"
    }
  }

  /// Returns the command that executes the script; the server keeps the compiled script.
  func command(on key: Data, _ arguments: [Data] = []) -> RedisCommand {
    RedisCommand("EVAL", [Data((preparation + rawValue).utf8), Data("1".utf8), key] + arguments)
  }
}

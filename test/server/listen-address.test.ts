// The address to listen on, in its parts.
import { expect, test } from 'bun:test'
import { parseListenAddress } from '../../src/server/listen-address.ts'

test.each([
  ['127.0.0.1:8080', '127.0.0.1', 8080],
  ['localhost:0', 'localhost', 0],
  ['[::1]:443', '::1', 443],
  ['[::ffff:127.0.0.1]:65535', '::ffff:127.0.0.1', 65_535],
])('%s', (listen, hostname, port) => {
  expect(parseListenAddress(listen)).toEqual({ hostname, port })
})

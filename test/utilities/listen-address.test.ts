// The address to listen on: its parts, and whether only this machine can reach it.
import { expect, test } from 'bun:test'
import { isLoopback, parseListenAddress } from '../../src/utilities/listen-address.ts'

test.each([
  ['127.0.0.1:8080', '127.0.0.1', 8080],
  ['localhost:0', 'localhost', 0],
  ['[::1]:443', '::1', 443],
  ['[::ffff:127.0.0.1]:65535', '::ffff:127.0.0.1', 65_535],
])('%s has the host %s and the port %d', (listen, hostname, port) => {
  expect(parseListenAddress(listen)).toEqual({ hostname, port })
})

test.each([
  ['127.0.0.1', true],
  ['127.8.8.8', true],
  ['localhost', true],
  ['::1', true],
  ['[::1]', true],
  ['0.0.0.0', false],
  ['::', false],
  ['10.0.0.1', false],
  ['localhost.example.com', false],
  ['127.example.com', false],
])('%s is reachable from this machine alone: %p', (hostname, expected) => {
  expect(isLoopback(hostname)).toBe(expected)
})

// Why a connection of a caller is ended, as its caller is told; the gateway's own reasons are in http/web-sockets.ts.
import type { SocketEnd } from '../../../src/http/socket-memory.ts'

export const UNPAID: SocketEnd = {
  code: 1008,
  reason: 'Too many messages in a row that were refused or asked for no response.',
}
export const NO_ROOM: SocketEnd = { code: 1013, reason: 'Too many large messages wait. Connect again later.' }
export const FLOOD: SocketEnd = {
  code: 1008,
  reason: 'Too many messages at once. Send fewer before they are answered.',
}
export const FORGOTTEN: SocketEnd = {
  code: 1013,
  reason: 'The conversation cannot be remembered. Send all of it again.',
}

// A flooding program for attacks: it sends one message after another over WebSockets, and reconnects when the gateway closes them.
//
//   bun test/tools/attack/socket-flood.ts <url> <key> <kind of message> <how many sockets> <for how many milliseconds>
import { connect } from 'node:net'
import { MODEL } from '../../support/catalogue.ts'
import { createOf, frameOf, handshakeOf } from './web-socket-client.ts'

const [, , address = '', key = '', kind = '', sockets = '1', duration_ms = '1000'] = process.argv
const url = new URL(address)
const MEGABYTE = 1024 * 1024
const LARGE_CHARS = 15 * MEGABYTE
const SMALL_AT_ONCE = 2_000
/** The pause after a refused connection: floods of plain requests are another attack. */
const REFUSED_PAUSE_MS = 100

const small = frameOf(createOf({ model: MODEL, input: 'x' }))
const MESSAGES: Readonly<Record<string, () => Buffer>> = {
  small: () => Buffer.concat(Array(SMALL_AT_ONCE).fill(small)),
  large: () => frameOf(createOf({ model: MODEL, input: 'x '.repeat(LARGE_CHARS / 2) })),
}
const bytes = MESSAGES[kind]?.() ?? Buffer.alloc(0)

const counts = { connected: 0, refused: 0, written_mb: 0 }
const until_ms = performance.now() + Number(duration_ms)

/** All sockets connect before any of them sends: once the gateway refuses their account, it accepts no more. */
const all_open = Promise.withResolvers<void>()
let open = 0

/** Sends on one connection until it ends. @returns whether it was opened */
async function flood(): Promise<boolean> {
  const over = Promise.withResolvers<void>()
  const socket = connect({ host: url.hostname, port: Number(url.port) })
  let is_open = false
  let head = ''
  const write = () => {
    if (performance.now() >= until_ms) return void socket.destroy()
    socket.write(bytes, (thrown) => {
      if (thrown) return
      counts.written_mb += bytes.length / MEGABYTE
      write()
    })
  }
  socket.on('data', (part) => {
    if (is_open) return
    head += part.toString('latin1')
    if (!head.includes('\r\n\r\n')) return
    if (!head.startsWith('HTTP/1.1 101')) return void socket.destroy()
    is_open = true
    if (++open === Number(sockets)) all_open.resolve()
    void all_open.promise.then(write)
  })
  socket.on('error', () => socket.destroy())
  socket.on('close', () => over.resolve())
  const timer = setTimeout(() => socket.destroy(), until_ms - performance.now())
  socket.write(handshakeOf(key))
  await over.promise
  clearTimeout(timer)
  return is_open
}

async function again(): Promise<void> {
  while (performance.now() < until_ms) {
    const was_open = await flood()
    counts[was_open ? 'connected' : 'refused']++
    if (!was_open) await Bun.sleep(REFUSED_PAUSE_MS)
  }
}

await Promise.all(Array.from({ length: Number(sockets) }, again))
process.stdout.write(JSON.stringify({ ...counts, written_mb: Math.round(counts.written_mb) }))

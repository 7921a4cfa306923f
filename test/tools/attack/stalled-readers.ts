// The attack of callers who stop reading 200 fast streams, and the memory that this costs.
import { catalogueOf } from '../../support/catalogue.ts'
import { startGatewayProcess } from '../../support/gateway-process.ts'
import { peakMemory, usedMemory } from '../../support/memory.ts'
import { ask, piece, streamPath } from '../../support/native.ts'
import { connectSocket, rawPost } from '../../support/socket-client.ts'
import type { Attack } from './attack.ts'

const READERS = 200
const STALLED_MS = 15_000
const MAX_USED_MB = 400
const EVENT = Buffer.from(`data: ${JSON.stringify(piece('A fast answer. '.repeat(500)))}\n\n`)
/** Far more than the sockets' buffers hold. */
const STREAM_BYTES = 64 * 1024 * 1024

export const stalledReaders: Attack = {
  name: 'stalled-readers',
  description: `${READERS} callers stop reading streams of 64 MB`,
  async run() {
    let sent_bytes = 0
    const server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch() {
        let left_bytes = STREAM_BYTES
        const body = new ReadableStream<Uint8Array>({
          pull(controller) {
            controller.enqueue(EVENT)
            left_bytes -= EVENT.length
            sent_bytes += EVENT.length
            if (left_bytes <= 0) controller.close()
          },
        })
        return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
      },
    })
    await using gateway = await startGatewayProcess(
      catalogueOf({ upstream_url: `http://127.0.0.1:${server.port}` }),
    )
    const request = rawPost(streamPath(), ask(), { authorization: `Bearer ${gateway.key}` })
    const clients = await Promise.all(
      Array.from({ length: READERS }, async () => {
        const client = await connectSocket(gateway.url)
        client.send(request)
        await client.waitForText('data: ')
        client.pause()
        return client
      }),
    )
    await Bun.sleep(STALLED_MS)
    const used_mb = await usedMemory(gateway.pid)
    const peak_mb = await peakMemory(gateway.pid)
    for (const client of clients) client.leave('close')
    await server.stop(true)
    return {
      tried: `${READERS} readers for ${STALLED_MS / 1_000} s`,
      held: used_mb < MAX_USED_MB,
      figures: `${used_mb} MB at the end (peak ${peak_mb} MB while the buffers filled), ${Math.round(sent_bytes / READERS / 1024)} kB sent of each stream`,
    }
  },
}

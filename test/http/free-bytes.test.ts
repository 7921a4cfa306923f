// The freeing of read bytes: the previous chunk is freed once the next chunk of another buffer is read.
import { expect, test } from 'bun:test'
import { freedOnceRead } from '../../src/http/free-bytes.ts'

const LARGE = 64 * 1024

const partsOf = (buffer: Uint8Array, count: number): Uint8Array[] =>
  Array.from({ length: count }, (_, part) =>
    buffer.subarray((part * buffer.length) / count, ((part + 1) * buffer.length) / count),
  )

async function* streamOf(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks
}

/** The indexes of the chunks that still have their bytes, at the read of each chunk. */
async function keptChunks(chunks: readonly Uint8Array[]): Promise<number[][]> {
  const kept: number[][] = []
  for await (const _ of freedOnceRead(streamOf(chunks)))
    kept.push(chunks.flatMap(({ length }, index) => (length > 0 ? [index] : [])))
  return kept
}

test('each chunk is freed once the next one arrives, except the last one', async () => {
  const chunks = [new Uint8Array(LARGE), new Uint8Array(LARGE), new Uint8Array(LARGE)]
  expect(await keptChunks(chunks)).toEqual([[0, 1, 2], [1, 2], [2]])
})

test('parts of one buffer stay until a part of another one arrives', async () => {
  const chunks = [...partsOf(new Uint8Array(LARGE), 2), new Uint8Array(LARGE)]
  expect(await keptChunks(chunks)).toEqual([[0, 1, 2], [0, 1, 2], [2]])
})

test('small buffers stay, because other data may share them', async () => {
  const chunks = [...partsOf(new Uint8Array(LARGE - 2), 2), new Uint8Array(1), new Uint8Array(1)]
  const all = [0, 1, 2, 3]
  expect(await keptChunks(chunks)).toEqual([all, all, all, all])
})

// spec.md, Limits: "Request body size 30 MB, native generation endpoints". (How bodies are refused unread: test/http/body.test.ts.)
import { describe, expect, test } from 'bun:test'
import { NATIVE_BODY_LIMIT_BYTES } from '../../plugins/native/model.ts'
import { answering, nativeError, refusalOf, streamPath, wholePath } from '../support/native.ts'
import { fileScene } from '../support/scene.ts'
import { inChunks } from '../support/upstream.ts'

const { gateway, upstream, call, counts, expectCounts } = await fileScene({ script: answering })

/** A request of exactly this many bytes. */
function bodyOf(bytes: number): Uint8Array {
  const [begins = '', ends = ''] = JSON.stringify({
    contents: [{ parts: [{ inlineData: { mimeType: 'image/png', data: '|' } }] }],
  }).split('|')
  const body = Buffer.alloc(bytes, 'A')
  body.write(begins)
  body.write(ends, bytes - ends.length)
  return body
}

const LARGEST = bodyOf(NATIVE_BODY_LIMIT_BYTES)
const TOO_LARGE = bodyOf(NATIVE_BODY_LIMIT_BYTES + 1)

describe('"Request body size | 30 MB": a larger one gives 400 INVALID_ARGUMENT', () => {
  test('a body of exactly 30 MB is passed on', async () => {
    expect((await call(wholePath(), LARGEST)).status).toBe(200)
    expect(upstream.last().body.equals(LARGEST)).toBe(true)
  })

  test('a body of exactly 30 MB of an unannounced length is passed on', async () => {
    expect((await call(wholePath(), inChunks(LARGEST, 1024 * 1024))).status).toBe(200)
    expect(upstream.last().body.equals(LARGEST)).toBe(true)
  })

  test.each([wholePath(), streamPath()])('%s: one byte more is refused', async (path) => {
    const before = gateway.rows()
    const seen = upstream.requests.length
    const refusal = await refusalOf(await call(path, TOO_LARGE))
    expect([refusal.status, refusal.body]).toEqual([400, nativeError(400, 'INVALID_ARGUMENT')])
    expect(refusal.message).toContain('30 MB')
    expect(upstream.requests).toHaveLength(seen)
    expect(await gateway.atRest()).toEqual(before)
  })

  test('one byte more of an unannounced length is refused while it arrives', async () => {
    const before = counts()
    const response = await call(wholePath(), inChunks(TOO_LARGE, 1024 * 1024))
    expect((await refusalOf(response)).body).toEqual(nativeError(400, 'INVALID_ARGUMENT'))
    await expectCounts(before)
  })
})

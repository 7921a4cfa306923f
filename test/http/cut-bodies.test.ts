// Bodies refused midway: the gateway answers with `connection: close`, and does not read the rest.
import { afterAll, expect, test } from 'bun:test'
import { EDITS, PNG } from '../images/support.ts'
import { MAX_UNREAD_BYTES, sendEndlessly } from '../support/endless-sender.ts'
import { fileScene } from '../support/scene.ts'

const MEGABYTE = 1024 * 1024
/** The gateway may read this much beyond a limit. */
const SLACK_BYTES = 4 * MEGABYTE
const FORM = 'multipart/form-data; boundary=B'

const { gateway, key } = await fileScene()

const filePart = (field: string) =>
  Buffer.concat([
    Buffer.from(
      `--B\r\nContent-Disposition: form-data; name="${field}"; filename="a.png"\r\nContent-Type: image/png\r\n\r\n`,
    ),
    PNG,
  ])
const fieldPart = (field: string) => `--B\r\nContent-Disposition: form-data; name="${field}"\r\n\r\n`

interface Case {
  what: string
  path: string
  type?: string
  begins: string | Uint8Array
  announced_bytes?: number
  /** The largest part that may be read: less than the limit of the form if one of its parts is refused. */
  limit_mb: number
  status: number
}

const UPLOAD = '/api/v1/upload'
const CASES: readonly Case[] = [
  {
    what: 'edits, a file under an unknown name',
    path: EDITS,
    begins: filePart('mask'),
    announced_bytes: 25 * MEGABYTE,
    limit_mb: 0,
    status: 400,
  },
  {
    what: 'edits, a file under an unknown name, chunked',
    path: EDITS,
    begins: filePart('mask'),
    limit_mb: 0,
    status: 400,
  },
  { what: 'edits, an image over its limit', path: EDITS, begins: filePart('image'), limit_mb: 25, status: 4 },
  { what: 'edits, a form over its limit', path: EDITS, begins: 'no part at all', limit_mb: 26, status: 413 },
  {
    what: 'edits, no image',
    path: EDITS,
    begins: Buffer.concat([
      Buffer.from(`${filePart('image').toString('latin1').slice(0, 90)}\r\n\r\nno image`),
    ]),
    announced_bytes: 25 * MEGABYTE,
    limit_mb: 1,
    status: 400,
  },
  {
    what: 'upload, a file under an unknown name',
    path: UPLOAD,
    begins: filePart('mask'),
    announced_bytes: 90 * MEGABYTE,
    limit_mb: 0,
    status: 400,
  },
  { what: 'upload, a field', path: UPLOAD, begins: `${fieldPart('x')}y\r\n`, limit_mb: 0, status: 400 },
  {
    what: 'upload, a file over its limit',
    path: UPLOAD,
    begins: filePart('files'),
    limit_mb: 35,
    status: 413,
  },
  {
    what: 'chat, a body over its limit',
    path: '/v1/chat/completions',
    type: 'application/json',
    begins: '{"model":"',
    limit_mb: 30,
    status: 413,
  },
]

let answered = 0
afterAll(() => expect(answered).toBeGreaterThan(CASES.length / 2))

test.each(CASES)('$what', async ({ path, type = FORM, begins, announced_bytes, limit_mb, status }) => {
  const head = [
    `POST ${path} HTTP/1.1`,
    'Host: gateway',
    `Authorization: Bearer ${key}`,
    `Content-Type: ${type}`,
  ]
  const { sent_bytes, answer } = await sendEndlessly(gateway.url, head, {
    begins,
    stop_bytes: announced_bytes ?? 90 * MEGABYTE,
    ...(announced_bytes === undefined ? {} : { announced_bytes }),
  })
  // A client that writes into the closed connection may get a reset before it has read the answer: seldom.
  if (answer !== '') {
    answered += 1
    expect(answer).toStartWith(`HTTP/1.1 ${status}`)
    expect(answer.toLowerCase()).toContain('connection: close')
  }
  expect(sent_bytes).toBeLessThan(limit_mb * MEGABYTE + SLACK_BYTES + MAX_UNREAD_BYTES)
  await gateway.rest()
})

// A flooding program beside which attacks can measure: it sends many large bodies at once, and prints the statuses of the answers.
//
//   bun test/tools/attack/flood.ts <url> <key> <kind of body> <how many> <how many at once>
import { MAX_IMAGE_BYTES } from '../../../src/media/limits.ts'
import { PICTURE } from '../../support/catalogue.ts'
import { wholePath } from '../../support/native.ts'
import { BOUNDARY, formOf, pictureOf } from '../../upload/support.ts'

const [, , url = '', key = '', kind = '', count = '1', at_once = '1'] = process.argv
const MEGABYTE = 1024 * 1024

/** `{…"x":[[],[],…]}` */
const emptyArrays = (bytes: number): Buffer => {
  const body = Buffer.alloc(bytes, '[],')
  body.write('{"contents":[{"parts":[{"text":"a"}]}],"x":[')
  // The head may end inside a triple: blanks are valid JSON everywhere.
  const head = 44
  body.fill(' ', head, head + ((3 - (head % 3)) % 3))
  body.write('[]]}', bytes - 4)
  body.fill(' ', bytes - 7, bytes - 4)
  return body
}

const withImage = (bytes: number): Buffer =>
  Buffer.from(
    JSON.stringify({
      contents: [
        { parts: [{ text: 'a' }, { inlineData: { mimeType: 'image/png', data: 'A'.repeat(bytes - 200) } }] },
      ],
    }),
  )

function composeOf(bytes: number): Buffer {
  const image_urls = [1, 2, 3].map((mark) => {
    const image = Buffer.alloc(Math.floor((bytes / 3 - 200) * 0.75), mark)
    image.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
    return `data:image/png;base64,${image.toString('base64')}`
  })
  return Buffer.from(JSON.stringify({ model: PICTURE, prompt: 'all together', image_urls }))
}

const BODIES: Readonly<Record<string, () => [path: string, body: Buffer, content_type?: string]>> = {
  arrays: () => [wholePath(), emptyArrays(29 * MEGABYTE)],
  'fewer-arrays': () => [wholePath(), emptyArrays(14 * MEGABYTE)],
  image: () => [wholePath(), withImage(29 * MEGABYTE)],
  compose: () => ['/v1/images/compose', composeOf(99 * MEGABYTE)],
  upload: () => [
    '/api/v1/upload',
    formOf([{ bytes: pictureOf(MAX_IMAGE_BYTES) }]),
    `multipart/form-data; boundary=${BOUNDARY}`,
  ],
}

const [path, body, content_type = 'application/json'] = BODIES[kind]?.() ?? ['', Buffer.alloc(0)]
const statuses: Record<string, number> = {}
let left = Number(count)
async function send(): Promise<void> {
  while (left > 0) {
    left -= 1
    const status = await fetch(new URL(path, url), {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': content_type },
      body,
    })
      .then(async (response) => {
        await response.arrayBuffer()
        return String(response.status)
      })
      // A cut connection counts as such.
      .catch(() => 'cut')
    statuses[status] = (statuses[status] ?? 0) + 1
  }
}
await Promise.all(Array.from({ length: Number(at_once) }, send))
process.stdout.write(JSON.stringify(statuses))

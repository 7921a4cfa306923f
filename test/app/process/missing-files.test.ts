// A gateway without the files of its images: it refuses to start, or starts on request and lists them as missing until they are back.
import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { type Away, pathsIn, takeFiles, takeFolder } from '../../library/away.ts'
import { catalogueOf, PROVIDER } from '../../support/catalogue.ts'
import { eventually } from '../../support/eventually.ts'
import { type Run, restarts } from '../../support/restarts.ts'
import { modelSection } from '../../support/sections.ts'
import { formOf, pictureOf } from '../../upload/support.ts'

const MODEL = modelSection('drawing', { [PROVIDER]: 'image' }, { kind: 'image', price: 'per_image = 0.01' })

const gateway = await restarts(catalogueOf({ upstream_url: 'simulator', more: MODEL }))
afterAll(() => gateway[Symbol.dispose]())

let upload: { key: string; size: number }
let image: string
beforeEach(async () => {
  await using run = await gateway.start()
  const headers = { 'content-type': 'multipart/form-data; boundary=a-boundary' }
  const body = formOf([{ bytes: pictureOf(1_000) }, { bytes: pictureOf(1_001) }])
  const uploaded = await post(run, '/api/v1/upload', body, headers)
  upload = (uploaded.uploaded as { key: string; size: number }[])[0] ?? { key: '', size: 0 }
  const order = JSON.stringify({ model: 'drawing', prompt: 'a cat' })
  for (let made = 0; made < 2; made += 1)
    image = ((await post(run, '/v1/images/generations', order)).svc_generation_ids as string[])[0] ?? ''
})

async function post(run: Run, path: string, body: string | Buffer, headers = {}) {
  const answer = await run.call(path, { method: 'POST', body, headers })
  expect(answer.status).toBe(200)
  return (await answer.json()) as Record<string, unknown>
}

interface Files {
  files: { key: string; state: string }[]
  quota: { used_bytes: number }
}
interface Images {
  images: { id: string; state: string }[]
}

const json = async (answer: Response) => [answer.status, await answer.json()]
const addresses = () => [`/api/v1/files/${upload.key}`, `/api/images/${image}`]
/** The states in which the upload and the image are listed. */
async function states(run: Run) {
  const { files, quota } = (await (await run.call('/api/v1/files')).json()) as Files
  const { images } = (await (await run.call('/api/images/history')).json()) as Images
  return {
    upload: files.find(({ key }) => key === upload.key)?.state,
    image: images.find(({ id }) => id === image)?.state,
    used_bytes: quota.used_bytes,
  }
}

async function takeBoth(): Promise<Away[]> {
  const { path } = gateway.folder
  return [await takeFolder(path, 'images', 'nothing'), await takeFolder(path, 'files', 'empty folder')]
}

describe('a start without both folders', () => {
  test('is refused, once for each folder, and changes nothing', async () => {
    const away = await takeBoth()
    const refused = gateway.start()
    await expect(refused).rejects.toThrow(
      /in images\/, which is missing.*\n.*in files\/, which has none of them.*\n.*mount it/,
    )
    for (const one of away) await one.back()
    await using run = await gateway.start()
    expect(await states(run)).toMatchObject({ upload: 'stored', image: 'stored' })
    for (const address of addresses()) expect((await run.call(address)).status).toBe(200)
  })

  test('succeeds with accept_missing_files, as do later ones: missing images are listed, counted, and 404 with the reason', async () => {
    const away = await takeBoth()
    await (await gateway.start({ accept_missing_files: true })).stop()
    const run = await gateway.start()
    const missing = await states(run)
    expect(missing).toMatchObject({ upload: 'missing', image: 'missing' })
    expect(missing.used_bytes).toBeGreaterThan(2_000)
    expect(await json(await run.call(addresses()[0] ?? ''))).toMatchObject([
      404,
      { error: { code: 'IMAGE_NOT_FOUND', message: expect.stringContaining('is missing') } },
    ])
    expect(await json(await run.call(addresses()[1] ?? ''))).toMatchObject([
      404,
      { error: { code: 'generation_not_found', message: expect.stringContaining('is missing') } },
    ])
    for (const reference of [{ image_key: upload.key }, { generation_id: image }]) {
      const body = JSON.stringify({ model: 'drawing', prompt: 'a cat', ...reference })
      expect(await json(await run.call('/v1/images/edits', { method: 'POST', body }))).toMatchObject([
        404,
        { error: { message: expect.stringContaining('is missing') } },
      ])
    }
    await run.stop()
    for (const one of away) await one.back()
    await using again = await gateway.start()
    expect(await states(again)).toMatchObject({ upload: 'stored', image: 'stored' })
    for (const address of addresses()) expect((await again.call(address)).status).toBe(200)
  })
})

test('a running gateway lists files as missing while they are away', async () => {
  await using run = await gateway.start({ sweep_every_ms: 20 })
  const paths = (await pathsIn(gateway.folder.path)).filter(
    (path) => path.includes(image) || path === upload.key,
  )
  const away = await takeFiles(gateway.folder.path, paths)
  expect((await states(run)).image).toBe('stored')
  for (const address of addresses()) expect((await run.call(address)).status).toBe(404)
  expect(await states(run)).toMatchObject({ upload: 'missing', image: 'missing' })
  await away.back()
  await eventually('the sweep finds them', async () => {
    const found = await states(run)
    return found.upload === 'stored' && found.image === 'stored'
  })
  await run.log.waitForLine(({ message }) => message === 'missing images are back')
})

test('missing images can be deleted', async () => {
  await takeFiles(
    gateway.folder.path,
    (await pathsIn(gateway.folder.path)).filter((path) => path.includes(image) || path === upload.key),
  )
  await using run = await gateway.start()
  for (const address of addresses()) expect((await run.call(address, { method: 'DELETE' })).status).toBe(200)
  expect(await states(run)).toMatchObject({ upload: undefined, image: undefined })
})

// A gateway moved to PostgreSQL and a bucket, and back: callers notice nothing, and its books are right after each step.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { FIRST_CATALOGUE } from '../../../src/catalogue/first.ts'
import type { Bucket } from '../../../src/domain/catalogue.ts'
import { paint } from '../../media/support.ts'
import { filesLines } from '../../support/files.ts'
import { dropDatabase, hasPostgres, makeDatabase } from '../../support/postgres.ts'
import { type Restarts, type Run, restarts } from '../../support/restarts.ts'
import { hasS3Server, partOf, sharedS3Server } from '../../support/s3-server.ts'
import { createScene, type Scene } from '../commands/scene.ts'

/** A large response is stored in a file. */
const LONG = 'tide '.repeat(20_000)
const PNG = await paint('png')
const OF_FILES = /_file|_files|_content/

interface Used {
  key: string
  answer: string
  /** Large, and therefore stored in a file. */
  image_answer: string
  images: string[]
  uploads: string[]
  response: string
}

describe.if(hasPostgres)('moved there and back', () => {
  let database: Awaited<ReturnType<typeof makeDatabase>>
  let gateway: Restarts
  let scene: Scene
  beforeEach(async () => {
    database = await makeDatabase('template0')
    gateway = await restarts(FIRST_CATALOGUE)
    scene = createScene('nothing', gateway.folder.path)
  })
  afterEach(async () => {
    gateway[Symbol.dispose]()
    await dropDatabase(database.name)
  })

  const post = (run: Run, path: string, body: object, key?: string) =>
    run.call(path, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', ...(key && { 'idempotency-key': key }) },
    })
  const respond = async (run: Run, input: string, previous_response_id?: string) => {
    const response = await post(run, '/v1/responses', {
      model: 'sim-gpt',
      input,
      store: true,
      previous_response_id,
    })
    const text = await response.text()
    expect({ status: response.status, text: response.status === 200 ? '' : text }).toEqual({
      status: 200,
      text: '',
    })
    return (JSON.parse(text) as { id: string }).id
  }
  /** @returns the text of the answer */
  const draw = async (run: Run, name: string): Promise<string> => {
    const answer = await post(
      run,
      '/v1/images/generations',
      { model: 'sim-image', prompt: `a ${name}`, n: 4, size: '1024x1024', response_format: 'b64_json' },
      `${name}-image`,
    )
    const text = await answer.text()
    expect(answer.status === 200 ? '' : text).toBe('')
    return text
  }
  const upload = async (run: Run, name: string): Promise<void> => {
    const form = new FormData()
    form.append('files', new Blob([PNG], { type: 'image/png' }), `${name}.png`)
    const { status } = await run.call('/api/v1/upload', { method: 'POST', body: form })
    expect(status).toBe(200)
  }
  const uploads = async (run: Run): Promise<string[]> => {
    const { files } = (await (await run.call('/api/v1/files')).json()) as { files: { key: string }[] }
    return files.map(({ key }) => key)
  }
  const ask = (run: Run, key: string) =>
    post(
      run,
      '/v1/chat/completions',
      { model: 'sim-flash', messages: [{ role: 'user', content: 'Hello' }] },
      key,
    )
  const images = async (run: Run): Promise<string[]> => {
    const { images: listed } = (await (await run.call('/api/images/history')).json()) as {
      images: { id: string }[]
    }
    return listed.map(({ id }) => id)
  }

  /** Makes calls of all kinds, which build on the previous ones. */
  async function use(run: Run, before: Used | undefined, name: string): Promise<Used> {
    if (before) {
      expect(await (await ask(run, before.key)).text()).toBe(before.answer)
      expect(await images(run)).toEqual(before.images)
      for (const id of before.images) expect((await run.call(`/api/images/${id}`)).status).toBe(200)
      expect(await draw(run, before.key)).toBe(before.image_answer)
      expect(await uploads(run)).toEqual(before.uploads)
      for (const key of before.uploads)
        expect(await (await run.call(`/api/v1/files/${key}`)).bytes()).toEqual(PNG)
    }
    const answer = await ask(run, name)
    expect(answer.status).toBe(200)
    const image_answer = await draw(run, name)
    await upload(run, name)
    const response = await respond(run, LONG, before?.response)
    return {
      key: name,
      answer: await answer.text(),
      image_answer,
      images: await images(run),
      uploads: await uploads(run),
      response,
    }
  }

  async function during<T>(work: (run: Run) => Promise<T>): Promise<T> {
    await using run = await gateway.start()
    return await work(run)
  }
  const RANGE = ['--since', '2026-01-01', '--until', '2100-01-01']
  const usage = async () => (await scene.json('usage', '--by', 'model', ...RANGE)).rows
  const catalogue = () => scene.path('tollgate.toml')
  const clean = async (files: boolean) => {
    const { findings } = JSON.parse((await scene.run('audit', '--json')).out)
    // The audit does not read a bucket.
    expect(
      findings.filter(({ invariant }: { invariant: string }) => files || !OF_FILES.test(invariant)),
    ).toEqual([])
  }

  const moveThereAndBack = async (bucket: Bucket | undefined) => {
    const first = await during((run) => use(run, undefined, 'ship'))
    const used = await usage()
    await clean(true)
    const address = bucket && `s3://${bucket.bucket}/${bucket.prefix}`
    if (bucket)
      scene.env = {
        AWS_ENDPOINT_URL: bucket.endpoint,
        AWS_ACCESS_KEY_ID: bucket.access_key_id,
        AWS_SECRET_ACCESS_KEY: bucket.secret_access_key,
      }
    const there = await scene.json('migrate', '--to', database.url, ...(address ? ['--files', address] : []))
    // Four images, an upload, an answer and a response.
    if (bucket) expect(there.files).toMatchObject({ files: 7, copied: 7, missing: [] })
    const plain = readFileSync(catalogue(), 'utf8')
    const files = bucket ? filesLines(bucket) : ''
    writeFileSync(catalogue(), `${plain}\n[storage]\ndatabase = ${JSON.stringify(database.url)}\n${files}`)
    expect(await usage()).toEqual(used)
    const second = await during((run) => use(run, first, 'boat'))
    expect(second.images).toHaveLength(8)
    await clean(!bucket)
    const used_there = await usage()
    expect(used_there).not.toEqual(used)
    for (const suffix of ['', '-wal', '-shm'])
      if (existsSync(scene.path(`tollgate.db${suffix}`)))
        renameSync(scene.path(`tollgate.db${suffix}`), scene.path(`old.db${suffix}`))
    const back = await scene.json('migrate', '--to', scene.dir)
    if (bucket) expect(back.files).toMatchObject({ files: 14, copied: 7, missing: [] })
    writeFileSync(catalogue(), plain)
    expect(await usage()).toEqual(used_there)
    const third = await during((run) => use(run, second, 'raft'))
    expect(third.images).toHaveLength(12)
    await clean(true)
  }

  test('calls, stored answers, images, uploads and conversations continue', async () =>
    moveThereAndBack(hasS3Server ? partOf(await sharedS3Server()) : undefined))
})

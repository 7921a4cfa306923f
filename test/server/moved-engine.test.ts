// A gateway that is moved to PostgreSQL and back: whoever calls it notices nothing, and its books are right after each step.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { FIRST_CATALOGUE } from '../../src/config/first.ts'
import { createScene, type Scene } from '../cli/scene.ts'
import { dropDatabase, hasPostgres, makeDatabase } from '../support/postgres.ts'
import { type Restarts, type Run, restarts } from '../support/restarts.ts'

/** What is kept of a large one is in a file. */
const LONG = 'tide '.repeat(20_000)

interface Used {
  key: string
  answer: string
  images: string[]
  response: string
}

describe.if(hasPostgres)('moved there and back', () => {
  let database: Awaited<ReturnType<typeof makeDatabase>>
  let gateway: Restarts
  let scene: Scene
  beforeAll(async () => {
    database = await makeDatabase('template0')
    gateway = await restarts(FIRST_CATALOGUE)
    scene = createScene('nothing', gateway.folder.path)
  })
  afterAll(async () => {
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

  /** Calls of all kinds, which build on what is there. */
  async function use(run: Run, before: Used | undefined, name: string): Promise<Used> {
    if (before) {
      expect(await (await ask(run, before.key)).text()).toBe(before.answer)
      expect(await images(run)).toEqual(before.images)
      for (const id of before.images) expect((await run.call(`/api/images/${id}`)).status).toBe(200)
    }
    const answer = await ask(run, name)
    expect(answer.status).toBe(200)
    const drawn = await post(run, '/v1/images/generations', { model: 'sim-image', prompt: `a ${name}` })
    expect(drawn.status === 200 ? '' : await drawn.text()).toBe('')
    const response = await respond(run, LONG, before?.response)
    return { key: name, answer: await answer.text(), images: await images(run), response }
  }

  async function during<T>(work: (run: Run) => Promise<T>): Promise<T> {
    await using run = await gateway.start()
    return await work(run)
  }
  const usage = async () => (await scene.json('usage', '--sums', 'day')).sums
  const catalogue = () => scene.path('tollgate.toml')

  test('calls, kept answers, images and conversations go on', async () => {
    const first = await during((run) => use(run, undefined, 'ship'))
    const used = await usage()
    expect(await scene.json('audit')).toMatchObject({ clean: true })
    expect(await scene.run('migrate', '--to', database.url)).toMatchObject({ status: 0 })
    const plain = readFileSync(catalogue(), 'utf8')
    writeFileSync(catalogue(), `${plain}\n[storage]\ndatabase = ${JSON.stringify(database.url)}\n`)
    expect(await usage()).toEqual(used)
    const second = await during((run) => use(run, first, 'boat'))
    expect(second.images).toHaveLength(2)
    expect(await scene.json('audit')).toMatchObject({ clean: true })
    const used_there = await usage()
    expect(used_there).not.toEqual(used)
    for (const suffix of ['', '-wal', '-shm'])
      if (existsSync(scene.path(`tollgate.db${suffix}`)))
        renameSync(scene.path(`tollgate.db${suffix}`), scene.path(`old.db${suffix}`))
    expect(await scene.run('migrate', '--to', scene.dir)).toMatchObject({ status: 0 })
    writeFileSync(catalogue(), plain)
    expect(await usage()).toEqual(used_there)
    const third = await during((run) => use(run, second, 'raft'))
    expect(third.images).toHaveLength(3)
    expect(await scene.json('audit')).toMatchObject({ clean: true, findings: [] })
  })
})

// Images that their owner deletes while they are generated: another gateway had marked them as failed, because the one that generates them was silent.
import { expect, test } from 'bun:test'
import { expectRefused, storedIn } from '../support/image-refusals.ts'
import { heldBack } from '../support/upstream.ts'
import { draws, GENERATIONS, generation, imagesIn, imagesScene, PNG } from './support.ts'

const { gateway, upstream, call, key, lastCall } = await imagesScene()

/** Begins a call for two images, which another gateway then marks as failed. */
async function beginFailedCall() {
  const { script, received, release } = heldBack(draws(PNG, PNG))
  upstream.answer(script)
  const answering = call(GENERATIONS, generation({ n: 2 }))
  await received
  const rows = gateway.db
    .query<{ uuid: string }, []>("SELECT uuid FROM generations WHERE state = 'generating' ORDER BY position")
    .all()
  gateway.db.run("UPDATE generations SET state = 'failed' WHERE state = 'generating'")
  return { uuids: rows.map(({ uuid }) => uuid), answering, release }
}

test('a deleted image is not stored, its call is free, and no file is left without a row', async () => {
  const before = await storedIn(gateway)
  const { uuids, answering, release } = await beginFailedCall()
  const deleted = await gateway.call(`/api/images/${uuids[1]}`, undefined, { key, method: 'DELETE' })
  expect([uuids.length, deleted.status]).toEqual([2, 200])
  release()
  await expectRefused(gateway, before, await answering, [409, 'conflict'])
  expect(await lastCall()).toMatchObject({ outcome: 'failed', cost_nanos: 0 })
})

test('images that were not deleted are still stored, and charged', async () => {
  const { uuids, answering, release } = await beginFailedCall()
  release()
  expect((await imagesIn(await answering)).svc_generation_ids).toEqual(uuids)
  for (const uuid of uuids)
    expect((await gateway.call(`/api/images/${uuid}`, undefined, { key })).status).toBe(200)
  expect(await lastCall()).toMatchObject({ outcome: 'completed', cost_nanos: 80_000_000 })
})

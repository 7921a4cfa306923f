// Interrupted uploads: one whose rows another gateway removed, because this one was silent, can be sent again; one of an erased account cannot.
import { expect, test } from 'bun:test'
import { expectRefused, storedIn } from '../support/image-refusals.ts'
import { fileScene } from '../support/scene.ts'
import { formOf, MIN_BYTES, pictureOf, post, upload } from './support.ts'

const { gateway } = await fileScene({
  probe(point) {
    if (point === 'file.written') meanwhile()
  },
})
let meanwhile = () => {}
const FORM = formOf([{ bytes: pictureOf(MIN_BYTES) }])
const owner = () =>
  gateway.db.query<{ id: number }, []>('SELECT max(account_id) AS id FROM keys').get()?.id ?? 0

test.each([
  ['another gateway removed it', [], [503, 'storage_unavailable'], /was interrupted.*send it again/],
  [
    'its account is erased',
    [
      'INSERT INTO closed_accounts (account_id, closed_at_ms) VALUES (?, 1)',
      'INSERT INTO erased_accounts (account_id, erased_at_ms) VALUES (?, 1)',
    ],
    [403, 'MODEL_ACCESS_DENIED'],
    /account is erased/,
  ],
] as const)(
  '%s: nothing of the upload is stored, and the error says what to do',
  async (_, erasing, refusal, words) => {
    const key = await gateway.caller('0')
    const before = await storedIn(gateway)
    meanwhile = () => {
      for (const text of erasing) gateway.db.run(text, [owner()])
      gateway.db.run("DELETE FROM files WHERE state = 'storing'")
      meanwhile = () => {}
    }
    const refused = await post(gateway, key, FORM)
    expect(await refused.clone().text()).toMatch(words)
    await expectRefused(gateway, before, refused, refusal)
    if (erasing.length === 0) {
      expect(refused.headers.get('retry-after')).toBe('1')
      expect(await upload(gateway, key, { bytes: pictureOf(MIN_BYTES) })).toHaveLength(1)
    }
  },
)

// Accounts, keys, sessions, alerts, refusals, kept answers, responses and images: the same values and rows on both engines.
import { describe, expect, test } from 'bun:test'
import type { Condition } from '../../../plugins/alerts/steps.ts'
import {
  applySteps,
  dueSendings,
  openAlerts,
  recentSendings,
  recordTry,
} from '../../../plugins/alerts/store.ts'
import { listActions } from '../../../plugins/audit-log/listing.ts'
import { listGenerations, removeGeneration } from '../../../plugins/library/history.ts'
import { lineageOf } from '../../../plugins/library/lineage.ts'
import { startErasing } from '../../../plugins/personal-data/closing.ts'
import { listRefusals } from '../../../plugins/refusals/listing.ts'
import { reasonsOfRefused } from '../../../plugins/refusals/sums.ts'
import { addSums, expireRefusals, insertRefusals } from '../../../plugins/refusals/writing.ts'
import { changeDetails } from '../../../src/access/account-details.ts'
import { listAccountPage } from '../../../src/access/account-listing.ts'
import { createAccount, renameAccount, suspendAccount } from '../../../src/access/accounts.ts'
import { closeAccount, reopenAccount } from '../../../src/access/closing.ts'
import { listKeyPage } from '../../../src/access/key-listing.ts'
import {
  changeKey,
  createKey,
  freeKeyName,
  keyByReference,
  revokeKey,
  rotateKey,
} from '../../../src/access/keys.ts'
import { resetOperator } from '../../../src/access/operator-reset.ts'
import {
  endSession,
  openSession,
  sessionByToken,
  sweepSessions,
  viewerOf,
} from '../../../src/access/session-rows.ts'
import { consumeLink, makeInvitation } from '../../../src/access/sign-in-links.ts'
import { isKnownAddress, rememberAddress } from '../../../src/access/sign-in-rate.ts'
import type { ConsoleSettings } from '../../../src/domain/catalogue.ts'
import { createKeptAnswers } from '../../../src/idempotency/kept-answers.ts'
import {
  beginGenerations,
  failGenerations,
  findGeneration,
  storeGenerations,
} from '../../../src/library/generations.ts'
import { beginIntake } from '../../../src/library/intake.ts'
import { foldersIn, openLibrary } from '../../../src/library/library.ts'
import { createFileStore } from '../../../src/media/store.ts'
import { chainFrom, deleteAllOf, deleteNamed, findVisible, insertRow } from '../../../src/responses/rows.ts'
import { personAtConsole } from '../../support/people.ts'
import { hasPostgres } from '../../support/postgres.ts'
import { endOf, NOW, onBoth, type World } from './both-engines.ts'

const SETTINGS = { session_hours: 1, idle_hours: 1 } as ConsoleSettings
const PAGE = { limit: 2 }
const HASH = '$argon2id$1'

async function people({ db, issuing }: World): Promise<void> {
  for (const name of ['ada', 'Bob', 'zoe']) await createAccount(db, { name, now_ms: NOW })
  await createKey(
    db,
    'ada',
    { name: 'laptop', models: ['sim-*'], spend_limit_nanos: 9_007_199_254_740_991 },
    issuing,
  )
  await createKey(db, 'ada', { name: 'phone', addresses: ['10.0.0.0/8'] }, issuing)
}

describe.if(hasPostgres)('on both engines', () => {
  test('accounts', async () => {
    const steps = await onBoth(async (world) => {
      const { db } = world
      await people(world)
      return [
        await endOf(() => createAccount(db, { name: 'ada', now_ms: NOW })),
        await endOf(() => renameAccount(db, 'zoe', 'Bob')),
        await endOf(() => renameAccount(db, 'nobody', 'x')),
        await endOf(() => renameAccount(db, 'zoe', 'Zoe')),
        await endOf(() => suspendAccount(db, 'Bob', { now_ms: 0 })),
        await endOf(() => closeAccount(db, 'ada', NOW)),
        await endOf(() => closeAccount(db, 'ada', NOW)),
        await endOf(() => reopenAccount(db, 'ada')),
        await endOf(() => changeDetails(db, 'ada', { display_name: 'Ada Ünal', email: 'a@b.c', note: 'x' })),
        await endOf(() => changeDetails(db, 'ada', { email: 'a'.repeat(300) })),
        await endOf(() => startErasing(db, 'Bob', NOW)),
        await endOf(() => changeDetails(db, 'Bob', { note: 'x' })),
        await endOf(() =>
          world.run(
            "INSERT INTO memberships (person_id, account_id, role, created_at_ms) VALUES (1, 2, 'owner', 0)",
          ),
        ),
        await endOf(() => world.run('DELETE FROM actions')),
        await listAccountPage(db, {}, PAGE),
        await listAccountPage(db, { search: 'ünal' }, PAGE),
        await listAccountPage(db, { status: 'suspended' }, { limit: 9, cursor: 1 }),
        await listAccountPage(db, {}, { limit: 9, cursor: 99 }),
        await listActions(db, { account_id: 1 }, PAGE),
      ]
    })
    expect(steps.slice(0, 3)).toEqual([
      { refused: 'invalid_request' },
      { refused: 'invalid_request' },
      { refused: 'not_found' },
    ])
    expect(steps.slice(12, 14)).toEqual([
      { refused: 'the account is erased' },
      { refused: 'actions are append-only' },
    ])
  })

  test('keys', async () => {
    const steps = await onBoth(async (world) => {
      const { db, issuing } = world
      await people(world)
      return [
        await endOf(() => createKey(db, 'ada', { name: 'laptop' }, issuing)),
        await endOf(() => createKey(db, 'nobody', { name: 'k' }, issuing)),
        await endOf(() => createKey(db, 'ada', { name: 'k', spend_limit_nanos: -1 }, issuing)),
        await endOf(() => changeKey(db, '1', { name: 'phone' }, NOW)),
        await endOf(() => changeKey(db, '1', { models: null, concurrent_calls: 3 }, NOW)),
        await endOf(() => db.begin((tx) => freeKeyName(tx, 1, NOW))),
        await endOf(() => rotateKey(db, '2', 60, issuing)),
        await endOf(() => revokeKey(db, '2', NOW)),
        await endOf(() => revokeKey(db, '2', NOW)),
        await endOf(() => revokeKey(db, 'tg_nothing', NOW)),
        await endOf(() => keyByReference(db, '1')),
        await listKeyPage(db, { account_id: 1, search: 'LAP' }, PAGE, NOW),
        await listKeyPage(db, { status: 'usable' }, PAGE, NOW),
        await listKeyPage(db, { status: 'revoked' }, PAGE, NOW),
      ]
    })
    expect(steps[0]).toMatchObject({ refused: expect.any(String) })
    expect(steps[10]).toMatchObject({ id: 1, models: null, concurrent_calls: 3 })
  })

  test('sessions, links and places', async () => {
    const token = 'a'.repeat(43)
    const steps = await onBoth(async (world) => {
      const { db, issuing } = world
      await people(world)
      const visitor = { address: '10.0.0.1', user_agent: 'Browser' }
      const opening = { token, visitor, now_ms: NOW, settings: SETTINGS }
      const session = await openSession(db, { person_id: null, account_id: 1, key_id: 1 }, opening)
      const { token: link } = await makeInvitation(db, 'ada', issuing)
      const person_id = await personAtConsole(db, null, NOW)
      await db.begin((tx) => rememberAddress(tx, { person_id, address: '2001:db8::1', now_ms: NOW }))
      await db.begin((tx) => rememberAddress(tx, { person_id, address: '2001:db8::2', now_ms: NOW + 1 }))
      return [
        session,
        await endOf(() =>
          openSession(
            db,
            { person_id: 99, account_id: 99, key_id: null },
            { ...opening, token: 'b'.repeat(43) },
          ),
        ).then((thrown) => typeof thrown),
        await sessionByToken(db, token),
        await sessionByToken(db, 'c'.repeat(43)),
        await viewerOf(db, session, { now_ms: NOW, address: '10.0.0.1' }),
        await isKnownAddress(db, { person_id, address: '2001:db8::9', now_ms: NOW }),
        await isKnownAddress(db, { person_id: undefined, address: '2001:db8::9', now_ms: NOW }),
        await endOf(() => makeInvitation(db, 'nobody', issuing)),
        await endOf(() => consumeLink(db, link, { hash: HASH, now_ms: NOW })),
        await endOf(() => consumeLink(db, link, { hash: HASH, now_ms: NOW })),
        await endOf(() => resetOperator(db, issuing)),
        await endOf(() =>
          endSession(db, { side: 'operator', role: 'operator', session_id: 99, person_id }, 99),
        ),
        await endOf(() => sweepSessions(db, NOW + 10 * 3_600_000)),
      ]
    })
    expect(steps[9]).toEqual({ refused: 'not_found' })
  })

  test('alerts', async () => {
    const condition = (subject: string): Condition => ({
      rule: 'low_balance',
      subject,
      account_id: 1,
      sentence: `${subject} is low.`,
    })
    // PostgreSQL does not use the id of a rolled back row again.
    const withoutId = ({ id: _, ...row }: { id: number }) => row
    const steps = await onBoth(async (world) => {
      const { db } = world
      await people(world)
      let sent = 0
      const at = (minute: number) => ({ now_ms: NOW + minute, newWebhookId: () => `msg_${++sent}` })
      const none = { raise: [], over: [], back: [], end: [] }
      await applySteps(db, { ...none, raise: [condition('a'), condition('b')] }, at(0))
      const twice = await endOf(() =>
        applySteps(db, { ...none, raise: [condition('c'), condition('a')] }, at(1)),
      )
      await applySteps(db, { ...none, over: [1, 2] }, at(2))
      await applySteps(db, { ...none, back: [2], end: [1] }, at(3))
      await recordTry(db, { id: 1, due_at_ms: null, sent_at_ms: NOW, status: 200, failure: null })
      await recordTry(db, { id: 2, due_at_ms: NOW + 9, sent_at_ms: null, status: 500, failure: 'no' })
      return [
        typeof twice,
        await openAlerts(db),
        (await recentSendings(db, 10)).map(withoutId),
        (await dueSendings(db, NOW + 5, 10)).map(withoutId),
      ]
    })
    expect(steps[1]).toMatchObject([{ subject: 'b', over_since_ms: null }])
  })

  test('refusals', async () => {
    const steps = await onBoth(async (world) => {
      const { db } = world
      await people(world)
      const row = (name: string, at_ms: number) => ({
        account_id: 1,
        key_id: 1,
        request_id: name,
        at_ms,
        surface: 'chat',
        model: null,
        status: 402,
        code: 'insufficient_balance',
        sentence: 'Top it up.',
      })
      const sum = {
        account_id: 1,
        key_id: 1,
        minute_s: NOW / 1000 - ((NOW / 1000) % 60),
        code: 'limit',
        refusals: 2,
      }
      await db.begin((tx) =>
        insertRefusals(
          tx,
          [
            ...['a', 'b', 'c', 'd'].map((name) => row(name, NOW)),
            { ...row('e', NOW), status: 403, code: 'address_not_allowed' },
          ],
          3,
        ),
      )
      const kept = await db.rows(
        'SELECT status, count(*) AS kept FROM refusals GROUP BY status ORDER BY status',
      )
      await db.begin((tx) => addSums(tx, [sum, sum, { ...sum, code: 'other' }]))
      const query = {
        account_id: 1,
        from_ms: NOW - 3_600_000,
        until_ms: NOW + 3_600_000,
        span: 'hour' as const,
      }
      const read = async () => [
        await listRefusals(db, { account_id: 1 }, PAGE),
        await listRefusals(db, { account_id: undefined, status: { from: 500, to: 599 } }, PAGE),
        await reasonsOfRefused(db, query, 5),
      ]
      const before = await read()
      await db.begin((tx) => expireRefusals(tx, NOW + 40 * 86_400_000))
      const after = await read()
      await startErasing(db, 'Bob', NOW)
      await db.begin((tx) => insertRefusals(tx, [{ ...row('of nobody', NOW), account_id: 2 }], 3))
      return { before, after, kept, left: await db.rows('SELECT * FROM refusals') }
    })
    expect(steps.before[2]).toHaveLength(2)
    expect(steps.kept).toEqual([
      { status: 402, kept: 3 },
      { status: 403, kept: 1 },
    ])
    expect(steps.left).toEqual([])
  })

  test('kept answers', async () => {
    const steps = await onBoth(async (world) => {
      const { db, folder } = world
      await people(world)
      const limits = { kept_bytes: 500, kept_bytes_per_account: 300, keys_per_account: 3 }
      const answers = createKeptAnswers(db, createFileStore(folder.path), {
        now: () => NOW,
        limits: () => limits,
        gateway_id: 1,
      })
      const request = (key: string) => ({
        account_id: 1,
        key,
        request_sha256: Buffer.alloc(32, key),
        request_id: `req_${key}`,
      })
      const begin = (key: string, seen?: string) =>
        endOf(() => answers.begin(request(key), seen, () => false))
      const keep = (key: string) =>
        endOf(async () => {
          const body = await answers.write(1, new Uint8Array(100).fill(7), 1_000)
          await answers.keep(request(key), { status: 200, headers: [['x-a', 'ü']], body })
        })
      return [
        await begin('a'),
        await begin('a'),
        await begin('a', 'req_other'),
        await begin('a', 'req_a'),
        await keep('a'),
        await keep('unknown'),
        await begin('a', 'req_a'),
        { ...(await answers.find(request('a'))), body_file: '', id: 0 },
        await begin('b'),
        await keep('b'),
        await begin('c'),
        await keep('c'),
        await begin('d'),
        await endOf(() => answers.forget(request('d'))),
        await answers.isHeld(request('a')),
        await answers.find(request('d')),
        await db.rows('SELECT key, status, kept_bytes FROM idempotency_keys ORDER BY key'),
      ]
    })
    expect(steps.slice(0, 3)).toEqual([true, false, false])
    expect(steps[7]).toMatchObject({ status: 200, headers: [['x-a', 'ü']] })
  })

  test('responses', async () => {
    const steps = await onBoth(async (world) => {
      const { db } = world
      await people(world)
      const add = (id: string, previous_id?: string, account_id = 1) =>
        endOf(() =>
          insertRow(
            db,
            { id, account_id, previous_id, created_at_ms: NOW, input: [], response: {} },
            { body: Buffer.from(id), body_file: null, kept_bytes: id.length },
          ),
        )
      const find = (response_id: string, account_id = 1) =>
        findVisible(db, { account_id, response_id, expired_by_ms: 0 })
      const remove = (id: string) =>
        endOf(() =>
          db.begin((tx) => deleteNamed(tx, { account_id: 1, response_id: id, expired_by_ms: 0 }, 0)),
        )
      const added = [
        await add('one'),
        await add('two', 'one'),
        await add('three', 'two'),
        await add('lost', 'nothing'),
        await add('foreign', 'one', 2),
        await add('one').then((twice) => typeof twice),
      ]
      const last = await find('three')
      return [
        added,
        last && (await chainFrom(db, last)),
        await find('three', 2),
        await remove('one'),
        await find('one'),
        await remove('three'),
        await remove('nothing'),
        await endOf(() => deleteAllOf(db, 1)),
      ]
    })
    expect(steps[0]).toEqual([true, true, true, false, false, 'object'])
    expect(steps[1]).toMatchObject([{ response_id: 'three' }, { response_id: 'two' }, { response_id: 'one' }])
  })

  test('images and files', async () => {
    const id = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`
    const steps = await onBoth(async (world) => {
      const { db, folder, run } = world
      await people(world)
      for (const hold of [1, 2])
        await run(`INSERT INTO holds (id, account_id, key_id, request_id, amount_nanos, state, created_at_ms, expires_at_ms)
                   VALUES (${hold}, 1, 1, 'req_${hold}', 5, 'pending', 0, 0)`)
      const library = openLibrary({
        db,
        now: () => NOW,
        probe: () => {},
        gateway_id: 1,
        ...foldersIn(folder.path),
      })
      const order = {
        account_id: 1,
        call_id: 1,
        kind: 'edit' as const,
        model: 'm',
        prompt: 'p',
        parents: [] as string[],
      }
      const image = {
        bytes: new Uint8Array(9),
        mime: 'image/png' as const,
        width: 1,
        height: 1,
        revised_prompt: 'ü',
      }
      const outcomes = [
        await beginGenerations(library, order, 2, [id(1), id(2)]),
        await beginGenerations(library, { ...order, call_id: 2, parents: [id(1)] }, 1, [id(3)]),
        await endOf(() => beginGenerations(library, { ...order, call_id: 99 }, 1, [id(4)])),
        await endOf(() => beginGenerations(library, order, 1, [id(5)])).then((thrown) => typeof thrown),
        await endOf(() => storeGenerations(library, 1, [id(1), id(2)], [image])),
        await endOf(() => failGenerations(db, [id(3)])),
      ]
      const intake = beginIntake(library, 1)
      const bad = await endOf(() =>
        intake.add({ filename: 'cat.png', content: new Blob([new Uint8Array([1, 2, 3])]).stream() }),
      )
      await intake.abandon()
      const child = await findGeneration(db, 1, id(3).toUpperCase())
      return [
        outcomes,
        bad,
        child,
        await findGeneration(db, 2, id(1)),
        child && (await lineageOf(db, child)),
        await listGenerations(db, { account_id: 1, kind: 'edit' }, PAGE),
        await listGenerations(db, { model: 'other' }, PAGE),
        await endOf(() => removeGeneration(library, 1, id(1))),
        await endOf(() => removeGeneration(library, 2, id(2))),
      ]
    })
    expect(steps[0]).toMatchObject([
      [id(1), id(2)],
      [id(3)],
      { refused: 'the image has no call' },
      'object',
      undefined,
      undefined,
    ])
    expect(steps[5]).toMatchObject({ rows: expect.any(Array) })
  })
})

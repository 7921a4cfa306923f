// A person of a new account pays in the browser: adds funds by card on Stripe's page, calls until the balance is used up, pays again, and buys a plan.
import { describe, expect, test } from 'bun:test'
import { type ConsolePage, NEXT_FRAME } from '../support/console-page.ts'
import { holdBack } from './hold-back.ts'
import { button, DEAR, heading, moneyScene, pictures, WALKERS } from './money-scene.ts'

const { gateway, visit, signUpByApi, pay } = await moneyScene(`
[[plans.offered]]
name = "pro"
title = "Pro"
price_usd = "10"
models = ["sim-flash"]
usd_per_day = 5
`)

const accountOf = (name: string) => gateway.rows().accounts.find((account) => account.name === name)

/** Creates a key at "Get started", and runs the code that the page proposes, as it is copied. */
async function runSnippet(one: ConsolePage): Promise<string> {
  await button(one, 'Create key').click()
  const dialog = one.page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('laptop')
  await dialog.getByRole('button', { name: 'Create key' }).click()
  const key = await dialog.locator('.secret pre').innerText()
  await dialog.getByRole('button', { name: 'Done' }).click()
  const snippet = await one.page.locator('.snippet pre').innerText()
  expect(snippet).toContain(key)
  const ran = Bun.spawn(['sh', '-c', snippet], { stdout: 'pipe', stderr: 'ignore' })
  expect(await new Response(ran.stdout).text()).toContain('"chat.completion"')
  return key
}

/** Calls until the balance is too low. @returns the text of the refusal */
async function useUp(key: string): Promise<string> {
  const messages = [{ role: 'user', content: 'Hello' }]
  for (;;) {
    const answer = await gateway.call('/v1/chat/completions', { ...DEAR, messages }, { key })
    if (answer.status === 402) return await answer.text()
    expect(answer.status).toBe(200)
    await answer.arrayBuffer()
  }
}

describe.each(WALKERS)('screens: $size', (walker) => {
  const name = `anna-${walker.size}`

  test('a new account pays by card, calls, runs out, and pays again', async () => {
    await signUpByApi(name, `${name}@example.org`)
    await using one = await visit({ account: name }, walker)
    const { page } = one
    const picture = pictures(one, walker)
    await one.open('/console')
    await page.getByText('You have no balance yet.').waitFor()
    await one.fits()
    await picture('10-start')

    await page.getByRole('link', { name: 'Add funds' }).click()
    await pay(one, '25', async (step) => {
      await one.fits()
      await picture(`11-${step}`)
    })
    expect(accountOf(name)?.balance_nanos).toBe(27_000_000_000)

    await page.getByRole('link', { name: 'Make your first call' }).click()
    await page.getByText('You have 27.00 USD').waitFor()
    await picture('12-start-paid')
    const key = await runSnippet(one)
    await page.getByText(/Your first call worked/).waitFor()
    await one.fits()
    await picture('13-first-call')

    expect(await useUp(key)).toContain('Insufficient balance. Add funds')
    await gateway.rest()
    await one.go('/console/overview')
    await heading(one, 'Overview').waitFor()
    await picture('14-overview-low')
    await one.fits()
    await one.go('/console/payments')
    await picture('15-payments')
    await page.getByRole('link', { name: 'Add funds' }).first().click()
    await heading(one, 'Add funds').waitFor()
    await pay(one, '10', (step) => picture(`16-again-${step}`))
    await page.getByRole('link', { name: 'All orders' }).click()
    await page.getByText('Order 2').or(page.getByText('Order 4')).first().waitFor()
    await one.fits()
    await picture('17-payments-two')
    await one.go('/console/transactions')
    await picture('18-transactions')
    await one.isClean()
  })

  test('the account buys a plan, whose calls take nothing from the balance', async () => {
    await using one = await visit({ account: name }, walker)
    const { page } = one
    const picture = pictures(one, walker)
    await one.open('/console/plan')
    await one.fits()
    await picture('20-plans')
    await button(one, 'Buy Pro').click()
    await one.fits()
    await picture('21-buy-plan')
    await page.getByRole('dialog').getByRole('button', { name: 'Pay 10.00 USD' }).click()
    await page.getByText('Pro has started').waitFor()
    const { balance_nanos = 0 } = accountOf(name) ?? {}
    const key = await gateway.key(name)
    const body = { model: 'sim-flash', messages: [{ role: 'user', content: 'Hello' }] }
    const answer = await gateway.call('/v1/chat/completions', body, { key })
    await answer.arrayBuffer()
    const { covered_nanos, cost_nanos } = await gateway.lastCall()
    expect([answer.status, cost_nanos, covered_nanos > 0]).toEqual([200, 0, true])
    expect(accountOf(name)?.balance_nanos).toBe(balance_nanos)
    // A late answer about the card moves nothing on the page.
    const card = await holdBack(one, /\/console\/api\/payment-card/)
    const plan_answer = page.waitForResponse(/\/console\/api\/plan(\?|$)/)
    const opening = one.open('/console/plan')
    await Promise.all([card.requested, plan_answer])
    await page.evaluate(NEXT_FRAME)
    card.release()
    await opening
    await one.fits()
    await picture('22-plan')
    await one.go('/console/transactions')
    await one.fits()
    await picture('23-transactions')
    await one.isClean()
  })
})

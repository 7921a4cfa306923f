// The status page: the state of the service, incidents, and the last 90 days of each model, also in words.
import { pageHtml, type Site } from '../public/frame.ts'
import { type Html, html, name } from '../public/html.ts'
import type { ModelStatus, PublicIncident, Status } from './views.ts'

const ALL: Readonly<Record<Status['state'], string>> = {
  working: 'No known problems.',
  impaired: 'Some calls fail.',
  failing: 'Some models are not available.',
}
const STATES: Readonly<Record<ModelStatus['state'], string>> = {
  unknown: 'No recent data',
  working: 'Working',
  impaired: 'Partly failing',
  failing: 'Not available',
}
const INCIDENT_WORDS: Readonly<Record<PublicIncident['state'], string>> = {
  investigating: 'Investigating',
  identified: 'Identified',
  monitoring: 'Monitoring',
  resolved: 'Resolved',
}

export function statusPage(site: Site, status: Status): string {
  const open = status.incidents.filter(({ state }) => state !== 'resolved')
  const past = status.incidents.filter(({ state }) => state === 'resolved')
  const words = open.length > 0 && status.state !== 'failing' ? 'An incident is open.' : ALL[status.state]
  const main = html`<h1>Status</h1>
<p class="now ${status.state}"><strong>${words}</strong> <span class="soft">As of ${moment(status.checked_at)}. Also as <a href="${site.path}/status.json">status.json</a>.</span></p>
${open.length > 0 && html`<section aria-labelledby="open"><h2 id="open">Open incidents</h2>${open.map(incident)}</section>`}
<section aria-labelledby="models"><h2 id="models">Models <span class="soft">last 90 days</span></h2>
${
  status.models.length === 0
    ? html`<p>No models are offered at the moment.</p>`
    : html`<ul class="models">${status.models.map(model)}</ul>
<p class="soft">Each bar is a day (UTC), today on the right: green if at least ${GOOD_PERCENT} % of calls were answered, amber if at least ${FAIR_PERCENT} %, red below, gray if there were too few calls. Requests that a model rejects as invalid do not count.</p>`
}
</section>
<section aria-labelledby="past"><h2 id="past">Past incidents</h2>${past.length === 0 ? html`<p>No incidents in the last 90 days.</p>` : past.map(incident)}</section>`
  return pageHtml(site, { title: 'Status', description: words, address: '/status', main })
}

const model = ({ display_name, state, answered_percent, days }: ModelStatus): Html => html`<li>
<div class="line"><h3>${name(display_name)}</h3><span class="${state}">${STATES[state]}</span></div>
<div class="days" role="img" aria-label="${describeDays(days)}">${days.map((day) => barFor(day.answered_percent))}</div>
<p class="soft">${answered_percent === null ? 'Too few calls in 90 days to show a rate.' : html`${percent(answered_percent)} of calls answered`}</p>
</li>
`

type Day = ModelStatus['days'][number]

/** The lowest shares of answered calls of a good and of a fair day. */
const GOOD_PERCENT = 99
const FAIR_PERCENT = 90

/** Shared, since a page has 90 bars for each model. */
const NO_BAR = html`<i></i>`
const GOOD_BAR = html`<i class="g"></i>`
const FAIR_BAR = html`<i class="w"></i>`
const BAD_BAR = html`<i class="b"></i>`

function barFor(share: number | null): Html {
  if (share === null) return NO_BAR
  if (share >= GOOD_PERCENT) return GOOD_BAR
  return share >= FAIR_PERCENT ? FAIR_BAR : BAD_BAR
}

/** "84 days at 99 % or more. 2026-11-14: 97 %. 4 days without enough calls." */
function describeDays(days: readonly Day[]): string {
  const known = days.filter(({ answered_percent }) => answered_percent !== null)
  const low = known.filter(({ answered_percent }) => (answered_percent ?? 100) < GOOD_PERCENT)
  const count = (number: number) => (number === 1 ? '1 day' : `${number} days`)
  return [
    `Last ${count(days.length)}: ${count(known.length - low.length)} at ${GOOD_PERCENT} % or more.`,
    ...low.map(({ date, answered_percent }) => `${date}: ${answered_percent} %.`),
    ...(known.length < days.length ? [`${count(days.length - known.length)} without enough calls.`] : []),
  ].join(' ')
}

/** Shares are rounded down: 99 may be just below 100. */
const percent = (share: number): string => (share === GOOD_PERCENT ? `over ${GOOD_PERCENT} %` : `${share} %`)

const incident = ({ title, models, updates }: PublicIncident): Html => html`<article>
<h3>${name(title)}</h3>
${models.length > 0 && html`<p class="soft">Affects ${models.map((id, index) => html`${index > 0 && ', '}${name(id)}`)}</p>`}
<ul>${updates.map(
  ({ state, text, written_at }) =>
    html`<li><strong>${INCIDENT_WORDS[state]}</strong> <span class="soft">${moment(written_at)}</span><p class="text" dir="auto">${text}</p></li>`,
)}</ul>
</article>
`

/** "29 Nov 2026, 16:07 UTC" */
function moment(iso: string): Html {
  const at = new Date(iso)
  const day = at.toLocaleDateString('en-GB', {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    timeZone: 'UTC',
  })
  return html`<time datetime="${iso}">${day}, ${iso.slice(11, 16)} UTC</time>`
}

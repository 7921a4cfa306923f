// The pricing page: models by kind, with inputs and prices. It is complete without the script, which adds search and sorting.
import { formatUsd } from '../../../src/domain/money.ts'
import { pageHtml, type Site } from './frame.ts'
import { type Html, html, name } from './html.ts'
import { columnLines, headsOf, type Line, lineName } from './price-words.ts'
import { KINDS, type PublicModel } from './views.ts'

export const KIND_TITLES: Readonly<Record<PublicModel['kind'], string>> = {
  text: 'Text',
  image: 'Images',
  embedding: 'Embeddings',
  speech: 'Speech',
  transcription: 'Transcription',
  moderation: 'Moderation',
  rerank: 'Rerank',
}

/** Groups models by kind, without empty groups. */
export const byKind = (models: readonly PublicModel[]): [PublicModel['kind'], PublicModel[]][] =>
  KINDS.map((kind): [PublicModel['kind'], PublicModel[]] => [
    kind,
    models.filter((model) => model.kind === kind),
  ]).filter(([, own]) => own.length > 0)

/**
 * @param models as in `/pricing.json`
 * @param is_own whether the prices are those of the signed-in account, which differ from the list prices
 */
export function pricingPage(site: Site, models: readonly PublicModel[], is_own = false): string {
  const lead = is_own
    ? html`<p class="lead">You pay per call, in USD, at these prices of your account. List prices: <a href="${site.path}/pricing.json">pricing.json</a>.</p>`
    : html`<p class="lead">You pay per call, in USD, at these prices. Also as <a href="${site.path}/pricing.json">pricing.json</a>.</p>`
  const main = html`<h1>Pricing</h1>
${lead}
${models.length === 0 ? html`<p>No models are offered at the moment.</p>` : SEARCH}
${byKind(models).map(([kind, own]) => section(kind, own))}`
  return pageHtml(site, {
    title: 'Pricing',
    description: `Prices of ${models.length} models.`,
    address: '/pricing',
    main,
    has_script: true,
  })
}

/** Hidden until the script runs, which it needs. */
const SEARCH = html`<search hidden><label for="search">Search models</label>
<input id="search" type="search" autocomplete="off" spellcheck="false">
<p class="soft" role="status"></p></search>`

function section(kind: PublicModel['kind'], models: readonly PublicModel[]): Html {
  const heads = headsOf(kind)
  const is_text = kind === 'text'
  const per = kind === 'text' || kind === 'embedding' ? 'USD per million tokens' : 'USD'
  return html`<section aria-labelledby="kind-${kind}">
<h2 id="kind-${kind}">${KIND_TITLES[kind]}<span class="soft">, ${per}</span></h2>
<table>
<thead><tr><th scope="col">Model</th>${heads.map((head) => html`<th scope="col" class="end">${head}</th>`)}${
    is_text && html`<th scope="col" class="end">Context</th><th scope="col">Takes</th>`
  }</tr></thead>
<tbody>
${models.map((model) => row(model, heads))}</tbody>
</table>
</section>
`
}

function row(model: PublicModel, heads: readonly string[]): Html {
  const { id, display_name, kind, context_tokens, takes, shutdown_date } = model
  const names_unit = kind !== 'text' && kind !== 'embedding'
  const cells = columnLines(model).map(
    (line, index) =>
      html`<td class="end" data-head="${heads[index]}" data-value="${line?.price_nanos ?? -1}">${line ? amount(line, names_unit) : '–'}</td>`,
  )
  return html`<tr><th scope="row" data-value="${display_name.toLowerCase()}">${name(display_name)}${
    display_name !== id && html` <code>${id}</code>`
  }${shutdown_date !== null && html` <span class="soft">until ${shutdown_date}</span>`}${allPrices(model)}</th>${cells}${
    kind === 'text' &&
    html`<td class="end" data-head="Context" data-value="${context_tokens ?? -1}">${tokens(context_tokens)}</td><td data-head="Takes" data-value="${(takes ?? []).length}">${takes?.join(', ') ?? 'text'}</td>`
  }</tr>
`
}

const amount = ({ price_nanos, per }: Line, names_unit: boolean): Html =>
  html`${formatUsd(price_nanos)}${names_unit && html` <span class="soft">per ${per}</span>`}`

/** All prices, below the model's name, unless the columns show them already. */
function allPrices(model: PublicModel): Html | false {
  const shown = columnLines(model)
  if (model.kind === 'embedding') return false
  const rest = model.price.filter((line) => line.price_nanos > 0 && !shown.includes(line))
  if (rest.length === 0) return false
  const priced = model.price.filter(({ price_nanos, of }) => price_nanos > 0 || of !== '')
  return html`<details><summary>All prices</summary><ul>${priced.map(
    (line) => html`<li>${lineName(line)}: ${formatUsd(line.price_nanos)} USD per ${line.per}</li>`,
  )}</ul></details>`
}

/** "1,048,576", not abbreviated, since people compare these numbers. */
const tokens = (count: number | null): string => count?.toLocaleString('en-US') ?? '–'

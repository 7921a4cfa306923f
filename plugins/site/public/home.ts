// The first page: the models on offer, and links to sign in, to the prices and to the API reference.
import { pageBrand } from '../../../src/app/surface/brand.ts'
import { pageHtml, type Site } from './frame.ts'
import { html, name } from './html.ts'
import { byKind, KIND_TITLES } from './pricing.ts'
import type { PublicModel } from './views.ts'

/** Models listed per kind; the pricing page lists the others. */
const MAX_NAMED = 8

interface HomeParts {
  /** From [site]. */
  description: string | undefined
  /** The API's base URL for callers. */
  base_url: string | undefined
}

export function homePage(
  site: Site,
  models: readonly PublicModel[],
  { description, base_url }: HomeParts,
): string {
  const { path, has_console, can_sign_up } = site
  const page_brand = pageBrand(site.brand, path)
  const words =
    description ??
    `One key and one balance for ${models.length} models, through the APIs of OpenAI, Anthropic and Google.`
  const main = html`<div class="hero">
<h1>${name(page_brand.name)}</h1>
<p class="lead">${words}</p>
<p class="ways">${has_console && can_sign_up && html`<a class="button" href="${path}/console/sign-up">Create an account</a> `}<a class="button plain" href="${path}/pricing">See prices</a> <a class="button plain" href="${path}/docs">Read the API reference</a></p>
</div>
<section aria-labelledby="models">
<h2 id="models">Models</h2>
${
  models.length === 0
    ? html`<p>No models are offered at the moment.</p>`
    : html`<div class="kinds">${byKind(models).map(
        ([kind, of_kind]) => html`<div>
<h3>${KIND_TITLES[kind]} <span class="soft">${of_kind.length}</span></h3>
<ul>${of_kind.slice(0, MAX_NAMED).map(({ display_name }) => html`<li>${name(display_name)}</li>`)}</ul>
${of_kind.length > MAX_NAMED && html`<p><a href="${path}/pricing#kind-${kind}">${of_kind.length - MAX_NAMED} more</a></p>`}
</div>`,
      )}</div>`
}
</section>
<section aria-labelledby="use">
<h2 id="use">Use it with the SDK that you have</h2>
<p>Keep the official library of OpenAI, Anthropic or Google. Change its base address and its key.</p>
<pre tabindex="0" role="group" aria-label="Example of a call"><code>curl ${base_url ?? 'https://…'}/v1/chat/completions \\
  -H "Authorization: Bearer $${page_brand.key_variable}" \\
  -H "Content-Type: application/json" \\
  -d '{"model": "${models.find(({ kind }) => kind === 'text')?.id ?? 'MODEL'}", "messages": [{"role": "user", "content": "Hello"}]}'</code></pre>
</section>`
  return pageHtml(site, { title: 'Models by API', description: words, address: '/', main })
}

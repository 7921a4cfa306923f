// How a model's routes do: a notice where nothing is answered, and the requests of each route.
import { type AnswerOf, type api, part } from '../../../console/web/app/client.ts'
import { healthSentence, LastFailureWords, RouteHealth } from '../../../console/web/parts/health.tsx'
import { Notice } from '../../../console/web/parts/notice.tsx'
import { Section } from '../../../console/web/parts/page.tsx'

type Routed = Pick<AnswerOf<typeof api.models.detail.get>, 'health' | 'routes'>

/** Red where nothing is answered, with the provider's last words. */
export function FailingNotice({ health, routes = [] }: Routed) {
  if (health?.state !== 'failing') return null
  const [last] = routes
    .flatMap(({ last_failure }) => last_failure ?? [])
    .sort((one, other) => other.failed_at_ms - one.failed_at_ms)
  return (
    <Notice tone="bad">
      This model is failing. {healthSentence(health, 'calls')} {last && <LastFailureWords of={last} />}
    </Notice>
  )
}

/** For the operator: others do not see routes. */
export const RoutesHealth = ({ routes }: Pick<Routed, 'routes'>) =>
  routes && (
    <Section title="Health">
      <RouteHealth
        title="Provider"
        rows={routes.map(({ provider, ...route }) => ({ ...route, name: provider }))}
        hrefOf={({ name }) => `/providers/${part(name)}`}
      />
    </Section>
  )

// The routes of a model, each with "Try": one real request, and what came of it.
import { FlaskConical } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'wouter'
import { Button } from '../../../console/web/parts/button.tsx'
import { ConfirmDialog } from '../../../console/web/parts/dialog.tsx'
import { Section } from '../../../console/web/parts/page.tsx'
import { atEnd, type Column, column, Table } from '../../../console/web/parts/table.tsx'
import { TrialResult, useTrial } from './trial-result.tsx'

interface Route {
  provider: string
  model: string
  order: number
  weight: number
  shutdown_date?: string | undefined
}

interface RouteTrialsProps {
  kind: string
  routes: readonly Route[]
}

const COLUMNS: Column<Route>[] = [
  column('provider', 'Provider', 'first', ({ provider }) => (
    <Link className="no-wrap" href={`/providers/${encodeURIComponent(provider)}`}>
      {provider}
    </Link>
  )),
  column('model', 'Upstream model', 'second', ({ model }) => <code>{model}</code>),
  atEnd('order', 'Order', 'none', ({ order }) => order),
  atEnd('weight', 'Weight', 'none', ({ weight }) => weight),
]

/** Where some route has a date. */
const ENDS: Column<Route> = column('ends', 'Ends', 'none', ({ shutdown_date }) => shutdown_date ?? '–')

export function RouteTrials({ kind, routes }: RouteTrialsProps) {
  const columns: Column<Route>[] = [
    ...COLUMNS,
    ...(routes.some(({ shutdown_date }) => shutdown_date) ? [ENDS] : []),
    column('try', 'Test routes', 'first-end', (route) => <TryButton route={route} kind={kind} />),
  ]
  return (
    <Section title="Routes">
      <Table
        label="Routes, in order of preference"
        columns={columns}
        rows={routes}
        keyOf={({ provider, model }) => `${provider} ${model}`}
      />
    </Section>
  )
}

function TryButton({ route: { provider, model }, kind }: { route: Route; kind: string }) {
  const trial = useTrial()
  const [asks, setAsks] = useState(false)
  const is_image = kind === 'image'
  const order = { provider, model, image: is_image }
  return (
    <div className="trial">
      <Button
        small
        icon={FlaskConical}
        aria-label={`Try ${model}`}
        busy={trial.isPending}
        onClick={() => (is_image ? setAsks(true) : trial.mutate(order))}
      >
        Try
      </Button>
      <TrialResult outcome={trial.data} failure={trial.error} />
      <ConfirmDialog
        open={asks}
        onClose={() => setAsks(false)}
        title={`Ask ${provider} for an image?`}
        consequence="The provider bills you for one image. No account is charged."
        verb="Ask for an image"
        // A failure is shown beside the button.
        confirm={() => trial.mutateAsync(order).catch(() => undefined)}
      />
    </div>
  )
}

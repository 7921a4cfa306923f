// The routes of a model, each with "Try": one real request, and what came of it.
import { FlaskConical } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'wouter'
import { Button } from '../button.tsx'
import { ConfirmDialog } from '../dialog.tsx'
import { Section } from '../page.tsx'
import { type Column, Table } from '../table.tsx'
import { useTrial } from './trial.ts'
import { TrialResult } from './trial-result.tsx'

interface Route {
  provider: string
  model: string
  order: number
  weight: number
}

export interface RouteTrialsProps {
  kind: string
  routes: readonly Route[]
}

const COLUMNS: Column<Route>[] = [
  {
    key: 'provider',
    title: 'Provider',
    cell: ({ provider }) => (
      <Link className="no-wrap" href={`/providers/${encodeURIComponent(provider)}`}>
        {provider}
      </Link>
    ),
  },
  { key: 'model', title: 'Its name there', cell: ({ model }) => <code>{model}</code>, phone: 'second' },
  { key: 'order', title: 'Order', cell: ({ order }) => order, end: true, phone: 'none' },
  { key: 'weight', title: 'Weight', cell: ({ weight }) => weight, end: true, phone: 'none' },
]

export function RouteTrials({ kind, routes }: RouteTrialsProps) {
  const columns: Column<Route>[] = [
    ...COLUMNS,
    {
      key: 'try',
      title: 'Does it work?',
      cell: (route) => <TryButton route={route} kind={kind} />,
      phone: 'first-end',
    },
  ]
  return (
    <Section title="Routes">
      <Table
        label="Routes, in the order in which they are tried"
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
  const start = () => trial.start({ provider, model, ...(is_image ? { image: true } : {}) })
  return (
    <div className="trial">
      <Button
        small
        icon={FlaskConical}
        aria-label={`Try ${model}`}
        busy={trial.busy}
        onClick={() => (is_image ? setAsks(true) : void start())}
      >
        Try
      </Button>
      <TrialResult trial={trial} />
      <ConfirmDialog
        open={asks}
        onClose={() => setAsks(false)}
        title={`Ask ${provider} for an image?`}
        consequence="The provider bills you for one image. No account is charged."
        verb="Ask for an image"
        confirm={start}
      />
    </div>
  )
}

// Entry point of the console in the browser.
import { createRoot } from 'react-dom/client'
import { App } from './app/app.tsx'
import { applyTheme } from './app/theme.ts'
import { applyZone } from './app/zone.ts'

applyTheme()
applyZone()
const place = document.getElementById('console')
if (place) createRoot(place).render(<App />)

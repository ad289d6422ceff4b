// Makes the program ready to be started: with `npm ci`, in the image, and for a start that finds a source changed.
import { keepSources } from './kept-sources.js'

keepSources()

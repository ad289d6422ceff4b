<?php
// Calls ChanceryGame.php as the lines of standard input say, and prints a line of JSON for each.
require getenv('SEND_FACTS') . '/ChanceryGame.php';
[, $url, $spool, $bytesMax] = $argv;
$sender = new Chancery\Sender($url, getenv('CHANCERY_OPERATOR_TOKEN'), $spool, (int) $bytesMax);
while (($line = fgets(STDIN)) !== false) {
    [$name] = $given = json_decode($line, true);
    try {
        $result = $name === 'set_aside'
            ? $sender->batch($given[1], setAside: true)
            : $sender->$name(...array_slice($given, 1));
        echo json_encode(['result' => $result]), "\n";
    } catch (Throwable $error) {
        echo json_encode(['error' => get_class($error) . ': ' . $error->getMessage()]), "\n";
    }
}

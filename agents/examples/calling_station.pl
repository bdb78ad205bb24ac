# Plays as the registered agent calling_station: checks, calls, and keeps its total near zero.
# sabacc watch "process:perl agents/examples/calling_station.pl" tight

use strict;
use JSON::PP;
$| = 1;    # sends every line at once

while (my $line = <STDIN>) {
    my $message = decode_json($line);
    if ($message->{type} eq "hello") {
        answer({type => "hello", protocol => 1, name => "calling station in Perl"});
    } elsif ($message->{type} eq "act") {
        answer({id => $message->{id}, action => best($message)});
    }
}

sub answer { print encode_json($_[0]), "\n" }

# Returns the legal action with the least distance; the first of equal ones.
sub best {
    my $message = shift;
    my ($best, $least);
    for my $action (@{$message->{legal}}) {
        my $distance = distance($message, split(" ", $action));
        ($best, $least) = ($action, $distance) if !defined $least || $distance < $least;
    }
    return $best;
}

# Returns how far from zero the total is expected after an action; bets by preference.
sub distance {
    my ($message, $kind, undef, $slot) = @_;
    my %bets = (check => 0, call => 1, junk => 2, raise => 3);
    return $bets{$kind} if exists $bets{$kind};
    my $total = $message->{total};
    return abs($total) if $kind eq "stand";
    return 0.25 + unseen($total) if $kind eq "draw";
    my $left = $total - value($message->{hand}[$slot]);
    return unseen($left) if $kind eq "redraw";
    return 0.25 + unseen($left) if $kind eq "discard_draw";
    return 0.25 + abs($left + value($message->{discard_pile}[-1]));    # swap
}

sub unseen { ($_[0]**2 + 110) / 20 - 4 }

sub value { no warnings; return 0 + $_[0] }    # "+5s" is 5, "0a" is 0
